package io.gpushare.extender.view;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.vertx.core.buffer.Buffer;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * Writes the values of this package as JSON. What is null, and what is false, is left out, unless the value itself says
 * otherwise.
 */
public final class ViewJson {
    /** The version of the JSON, which each response has. */
    static final int VERSION = 1;

    private static final ObjectWriter WRITER = JsonMapper.builder()
            .defaultPropertyInclusion(JsonInclude.Value.construct(Include.NON_NULL, Include.ALWAYS))
            .withConfigOverride(
                    boolean.class,
                    flag -> flag.setInclude(JsonInclude.Value.construct(Include.NON_DEFAULT, Include.ALWAYS)))
            .addMixIn(PodRef.class, PodName.class)
            .addMixIn(CardId.class, Text.class)
            .addMixIn(Instant.class, Text.class)
            .build()
            .writer();

    /** A pod is written by its namespace and name. */
    @JsonIgnoreProperties("uid")
    private interface PodName {}

    /** What is written as the text that it prints. */
    private interface Text {
        @Override
        @JsonValue
        String toString();
    }

    private ViewJson() {}

    /** The value as JSON. */
    public static Buffer of(Object value) {
        try {
            return Buffer.buffer(WRITER.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("a value of the view is no JSON", e);
        }
    }
}
