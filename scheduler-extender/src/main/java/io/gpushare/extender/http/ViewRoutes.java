package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Ledger;
import io.gpushare.extender.view.Revisions;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths for people: the view as JSON, text for the command line, and the page. All of it is made off the event loops
 * and only a little at a time, so that many lookers can't slow kube-scheduler down.
 */
final class ViewRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(ViewRoutes.class);
    private static final String VIEW = "/gpushare-scheduler/v1/";
    private static final String TEXT = VIEW + "text/";
    private static final int AT_ONCE = 2;
    private static final long PATIENCE_MILLIS = 5000;
    private static final int WORTH_PACKING = 2048;
    private static final Duration REST = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final ViewAnswers answers;
    private final Viewing.Access access;
    private final Executor blocking;
    private final Semaphore working = new Semaphore(AT_ONCE);
    // What waits for device plugins mostly waits, and must not keep the others from their picture.
    private final Semaphore asking = new Semaphore(8 * AT_ONCE);
    private final UiFiles files = UiFiles.load();

    ViewRoutes(Vertx vertx, Ledger ledger, Viewing viewing, Supplier<Optional<String>> unready, Executor blocking) {
        this.vertx = vertx;
        this.blocking = blocking;
        this.access = viewing.access();
        Revisions revisions = new Revisions(ledger, viewing.explain());
        this.answers = new ViewAnswers(ledger, viewing, revisions, unready);
        vertx.setPeriodic(REST.toMillis(), timer -> blocking.execute(() -> revisions.rest(System.nanoTime())));
    }

    /** Whether that path is one of these. */
    boolean has(String path) {
        return access != Viewing.Access.OFF && (path.startsWith(VIEW) || UiFiles.has(path));
    }

    /** Whether that path needs no client certificate. */
    boolean open(String path) {
        return access == Viewing.Access.OPEN && has(path);
    }

    void get(HttpServerRequest request, String path) {
        if (UiFiles.has(path)) {
            files.answer(request, path);
            return;
        }
        MultiMap parameters = request.params();
        later(request, path, () -> get(path, parameters));
    }

    /** Whether that path takes a body. */
    static boolean takesBody(String path) {
        return path.equals(VIEW + "explain");
    }

    void post(HttpServerRequest request, String path, Buffer body) {
        MultiMap parameters = request.params();
        later(request, path, () -> answers.explain(parameters, body.getBytes()));
    }

    private interface Answer {
        Buffer make() throws ViewAnswers.Refused;
    }

    private Buffer get(String path, MultiMap parameters) throws ViewAnswers.Refused {
        if (path.startsWith(TEXT)) {
            return Buffer.buffer(answers.text(path.substring(TEXT.length()), parameters));
        }
        return switch (path.substring(VIEW.length())) {
            case "cluster" -> answers.cluster(parameters);
            case "nodes" -> answers.nodes(parameters);
            case "explain" -> answers.explain(parameters);
            default -> throw new ViewAnswers.Refused(404, HttpAnswer.NOTHING_HERE);
        };
    }

    private record Made(int status, String type, Buffer body) {}

    private void later(HttpServerRequest request, String path, Answer answer) {
        Context loop = vertx.getOrCreateContext();
        boolean text = path.startsWith(TEXT);
        boolean packs =
                String.valueOf(request.getHeader(HttpHeaders.ACCEPT_ENCODING)).contains("gzip");
        blocking.execute(() -> {
            Made made = made(text, asksPlugins(path) ? asking : working, answer);
            boolean packed = packs && made.body().length() > WORTH_PACKING;
            Buffer body = packed ? packed(made.body()) : made.body();
            loop.runOnContext(nothing -> send(request, made, body, packed));
        });
    }

    private static boolean asksPlugins(String path) {
        return path.equals(VIEW + "nodes") || path.startsWith(TEXT + "top");
    }

    private static Made made(boolean text, Semaphore turns, Answer answer) {
        try {
            if (!turns.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                return refused(text, 503, "too many look at once; try again");
            }
            try {
                return new Made(200, text ? HttpAnswer.TEXT : HttpAnswer.JSON, answer.make());
            } finally {
                turns.release();
            }
        } catch (ViewAnswers.Refused e) {
            return refused(text, e.status(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refused(text, 503, "the extender is ending");
        } catch (RuntimeException e) {
            LOG.error("answering a view failed inside", e);
            return refused(text, 500, "the extender failed inside; see its log");
        }
    }

    /** kubectl drops the body of what has another status than 200, and with it the reason: so a text says it instead. */
    private static Made refused(boolean text, int status, String sentence) {
        return text
                ? new Made(200, HttpAnswer.TEXT, Buffer.buffer("error: " + sentence + "\n"))
                : new Made(status, HttpAnswer.JSON, JsonAnswer.error(sentence));
    }

    private static Buffer packed(Buffer body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length() / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body.getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }

    private static void send(HttpServerRequest request, Made made, Buffer body, boolean packed) {
        request.response()
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        if (packed) {
            request.response().putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        HttpAnswer.send(request, made.status(), made.type(), body);
    }
}
