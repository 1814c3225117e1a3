package io.gpushare.mps.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlWordsTest {
    @ParameterizedTest
    @CsvSource({
        "512, 512M, true",
        "1023, 1023M, true",
        "5120, 5G, true",
        "1536, 1G, true",
        "1536, 1536M, true",
        "1536, 2G, false",
        "2048, 1G, false",
        "2048, '', false",
        "512, 0G, false"
    })
    void aLimitIsRecognizedAlthoughItIsPrintedInWholeG(long mib, String printed, boolean same) {
        assertThat(MemoryText.isPrintedFor(mib, printed)).isEqualTo(same);
    }

    @Test
    void clientsOfAnotherUserThanTheServersWait() {
        assertThat(waiting(
                        "[2026-05-31 23:46:49.893 Control 1] Starting new server 20 for user 0",
                        "[2026-05-31 23:46:50.000 Control 1] NEW CLIENT 31 from user 0: Server already exists",
                        "[2026-05-31 23:46:51.000 Control 1] NEW CLIENT 32 from user 1000: Server is not ready, push"
                                + " client to pending list",
                        "[2026-05-31 23:46:52.000 Control 1] User did not send valid credentials"))
                .containsExactly(32L);
    }

    @Test
    void theyWaitNoMoreWhenAServerOfTheirUserStarts() {
        assertThat(waiting(
                        "[t Control 1] Starting new server 20 for user 0",
                        "[t Control 1] NEW CLIENT 32 from user 1000: Server is not ready, push client to pending list",
                        "[t Control 1] Starting new server 21 for user 1000"))
                .isEmpty();
    }

    private static List<Long> waiting(String... lines) {
        WaitingUsers users = new WaitingUsers();
        List.of(lines).forEach(users::read);
        return users.waiting();
    }
}
