package io.gpushare.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedPartsTest {
    private final List<String> closed = new ArrayList<>();

    @Test
    void theLastIsClosedFirstAndAFailureKeepsNoneOpen() {
        try (StartedParts parts = new StartedParts()) {
            parts.add(() -> closed.add("first"));
            parts.add(() -> {
                closed.add("second");
                throw new IOException("expected by the test");
            });
            parts.add(() -> closed.add("third"));
        }
        assertThat(closed).containsExactly("third", "second", "first");
    }
}
