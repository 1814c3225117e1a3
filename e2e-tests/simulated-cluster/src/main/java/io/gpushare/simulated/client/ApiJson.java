package io.gpushare.simulated.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * JSON as kube-apiserver 1.36.3 has it: it keeps what users write into fields of any form, with numbers of any length.
 */
public final class ApiJson {
    /** Go reads and writes no more. */
    private static final int LEVELS = 10_000;

    public static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(LEVELS)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(LEVELS).build())
            .build());

    private ApiJson() {}
}
