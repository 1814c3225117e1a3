package io.gpushare.kubernetes.wire;

import com.google.gson.GsonBuilder;
import io.kubernetes.client.openapi.JSON;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;

/**
 * Lenient JSON settings for the client library. By default the library checks each response against its models and throws
 * on an unknown field, so a newer API server, a bookmark without containers or the Status that answers a Binding becomes
 * an error. The settings are global in the library: apply them once, before any use.
 */
public final class LenientJson {
    private LenientJson() {}

    public static void use() {
        JSON.setGson(builder().create());
    }

    static GsonBuilder builder() {
        return new GsonBuilder()
                .registerTypeAdapter(Date.class, new JSON.DateTypeAdapter())
                .registerTypeAdapter(java.sql.Date.class, new JSON.SqlDateTypeAdapter())
                .registerTypeAdapter(OffsetDateTime.class, new JSON.OffsetDateTimeTypeAdapter())
                .registerTypeAdapter(LocalDate.class, new JSON.LocalDateTypeAdapter())
                .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter());
    }
}
