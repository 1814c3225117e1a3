package io.gpushare.insight.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.insight.routes.Viewers.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ViewerTokensTest {
    private final List<String> reviewed = new ArrayList<>();
    private Optional<Refusal> answer = Optional.empty();
    private long nanos = -1;

    private final ViewerTokens tokens = new ViewerTokens(this::review, () -> nanos);

    private Optional<Refusal> review(String token) {
        reviewed.add(token);
        return answer;
    }

    @Test
    void anAcceptedTokenIsReviewedOnceAMinuteSoThatItCanBeRevoked() throws Exception {
        tokens.check("a");
        nanos += Duration.ofSeconds(59).toNanos();
        tokens.check("a");
        assertThat(reviewed).containsExactly("a");
        nanos += Duration.ofSeconds(2).toNanos();
        answer = Optional.of(new Refusal(403, "no more"));
        assertThatThrownBy(() -> tokens.check("a"))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(403))
                .hasMessage("no more");
    }

    @Test
    void aRefusalIsOfOneTokenAndIsNotRemembered() throws Exception {
        tokens.check("good");
        answer = Optional.of(new Refusal(401, "not valid"));
        assertThatThrownBy(() -> tokens.check("bad")).hasMessage("not valid");
        tokens.check("good");
        answer = Optional.empty();
        tokens.check("bad");
        assertThat(reviewed).containsExactly("good", "bad", "bad");
    }
}
