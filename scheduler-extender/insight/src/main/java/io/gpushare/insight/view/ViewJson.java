package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.vertx.core.buffer.Buffer;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * Writes the values of this package as JSON or YAML. What is null, and what is false, is left out, unless the value
 * itself says otherwise.
 */
public final class ViewJson {
    /** The version that each response has. */
    static final int VERSION = 1;

    private static final ObjectWriter JSON = writer(new ObjectMapper());
    // In the form of kubectl.
    private static final ObjectWriter YAML = writer(new ObjectMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build()));

    /** A pod is written by its namespace and name. */
    @JsonIgnoreProperties("uid")
    private interface PodName {}

    /** A reason is written by its label and sentence. */
    @JsonIgnoreProperties("resolvable")
    private interface ReasonLabel {
        @JsonProperty("reason")
        String label();
    }

    /** What is written as the text that it prints. */
    private interface Text {
        @Override
        @JsonValue
        String toString();
    }

    private ViewJson() {}

    private static ObjectWriter writer(ObjectMapper mapper) {
        mapper.setDefaultPropertyInclusion(JsonInclude.Value.construct(Include.NON_NULL, Include.ALWAYS));
        mapper.configOverride(boolean.class)
                .setInclude(JsonInclude.Value.construct(Include.NON_DEFAULT, Include.ALWAYS));
        return mapper.addMixIn(PodRef.class, PodName.class)
                .addMixIn(Reason.class, ReasonLabel.class)
                .addMixIn(CardId.class, Text.class)
                .addMixIn(Instant.class, Text.class)
                .writer();
    }

    public static Buffer json(Object value) {
        return write(JSON, value);
    }

    public static Buffer yaml(Object value) {
        return write(YAML, value);
    }

    private static Buffer write(ObjectWriter writer, Object value) {
        try {
            return Buffer.buffer(writer.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("a value of the view can't be written", e);
        }
    }
}
