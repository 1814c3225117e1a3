package io.gpushare.insight.routes;

import java.util.Optional;

/** Who may see the view on its own port. */
public interface Viewers {
    /** Why a caller may not see it. */
    record Refusal(int status, String sentence) {}

    /** Why the owner of the token may not see the view; empty if it may. May wait for the API server. */
    Optional<Refusal> refusal(String token);
}
