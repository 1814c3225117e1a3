package io.gpushare.extender.server;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.model.text.Printable;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests for hosts under whose names the extender is not served. Otherwise any web page could read the view,
 * and bind pods, over plain HTTP in the browser of a user who reaches the port: its author lets the page's own name
 * resolve to the extender (DNS rebinding). With TLS, the certificate prevents it.
 *
 * @param known further names
 */
record HostCheck(Predicate<String> known) implements Handler<RoutingContext> {
    /** The length of the longest DNS name: a caller may send kilobytes, on which a pattern takes long. */
    private static final int LONGEST = 253;

    // Addresses, and names that nobody can register: of one label, of Services, and of this machine.
    private static final Pattern SAFE =
            Pattern.compile("[0-9.]+|\\[?[0-9a-f:.]*:[0-9a-f:.]*]?|[^.]*|.*\\.(svc|svc\\.cluster\\.local|localhost)");

    @Override
    public void handle(RoutingContext context) {
        Optional<String> refusal = refusal(context.request(), "the view");
        if (refusal.isEmpty()) {
            context.next();
        } else if (context.normalizedPath().contains("/text/")) {
            // As every refusal of a text: kubectl drops the body of any other status.
            HttpResponse.text(context.request(), 200, "error: " + refusal.get());
        } else {
            HttpResponse.error(context.request(), 421, refusal.get());
        }
    }

    /** Why that is not served to the request; empty if it is. */
    Optional<String> refusal(HttpServerRequest request, String what) {
        @Nullable HostAndPort authority = request.authority();
        return authority == null || serves(authority.host().toLowerCase(Locale.ROOT))
                ? Optional.empty()
                : Optional.of(what + " is not served under the name " + Printable.line(authority.host(), LONGEST)
                        + ": use an IP address, or name it in --view-hosts of the extender");
    }

    boolean serves(String host) {
        // A resolver asks for exactly that name then.
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return name.length() <= LONGEST && (SAFE.matcher(name).matches() || known.test(name));
    }
}
