package io.gpushare.kubernetes;

import com.google.gson.ExclusionStrategy;
import com.google.gson.FieldAttributes;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.kubernetes.client.openapi.JSON;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;

/**
 * The client library's JSON without its strictness: by default it reads every answer into a tree, checks it against the
 * models and throws on a field that it does not know, so that a newer API server, a bookmark without containers or the
 * answer to a Binding (a Status) becomes an error. The setting is the library's own, and global: once, before any use.
 */
final class LenientJson {
    private LenientJson() {}

    static void use() {
        Gson gson = new GsonBuilder()
                .registerTypeAdapter(Date.class, new JSON.DateTypeAdapter())
                .registerTypeAdapter(java.sql.Date.class, new JSON.SqlDateTypeAdapter())
                .registerTypeAdapter(OffsetDateTime.class, new JSON.OffsetDateTimeTypeAdapter())
                .registerTypeAdapter(LocalDate.class, new JSON.LocalDateTypeAdapter())
                .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter())
                .addDeserializationExclusionStrategy(new WithoutManagedFields())
                .create();
        JSON.setGson(gson);
    }

    /** managedFields are often larger than the rest of an object, and nothing here reads them. */
    private static final class WithoutManagedFields implements ExclusionStrategy {
        @Override
        public boolean shouldSkipField(FieldAttributes field) {
            return field.getName().equals("managedFields");
        }

        @Override
        public boolean shouldSkipClass(Class<?> type) {
            return false;
        }
    }
}
