package io.gpushare.extender.protocol;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Recognizes calls of web pages: a browser sends them for any page that its user opens, with the user's way into the
 * network and client certificates. kube-scheduler sends JSON, and none of the headers that only browsers add.
 */
final class WebPages {
    private static final List<String> BROWSERS = List.of("Origin", "Sec-Fetch-Site");

    /** What a page may send to another site without asking that first. */
    private static final List<String> FORMS =
            List.of("text/plain", "application/x-www-form-urlencoded", "multipart/form-data");

    private WebPages() {}

    /** The status and the reason of the response. */
    record Refusal(int status, String sentence) {}

    /** Why the request is refused; empty if no web page sent it. */
    static Optional<Refusal> refusal(HttpServerRequest request) {
        Optional<String> header = BROWSERS.stream()
                .filter(name -> request.getHeader(name) != null)
                .findFirst();
        if (header.isPresent()) {
            return Optional.of(new Refusal(
                    403,
                    "this path is for kube-scheduler, which sends no header " + header.get() + ": web pages may"
                            + " not call it"));
        }
        String type = request.headers().contains(HttpHeaders.CONTENT_TYPE)
                ? request.getHeader(HttpHeaders.CONTENT_TYPE).toLowerCase(Locale.ROOT)
                : "";
        return FORMS.stream().anyMatch(type::startsWith)
                ? Optional.of(new Refusal(415, "this path is for kube-scheduler: send Content-Type: application/json"))
                : Optional.empty();
    }
}
