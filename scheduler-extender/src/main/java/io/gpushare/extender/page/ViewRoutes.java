package io.gpushare.extender.page;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.view.ViewRevisions;
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
public final class ViewRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(ViewRoutes.class);
    private static final String VIEW = "/gpushare-scheduler/v1/";
    private static final String TEXT = "text/";
    private static final int AT_ONCE = 2;
    private static final long PATIENCE_MILLIS = 5000;
    private static final int WORTH_PACKING = 2048;
    private static final Duration REST = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final ViewResponses answers;
    private final ViewAccess.Access access;
    private final Executor blocking;
    private final Semaphore working = new Semaphore(AT_ONCE);
    // Who waits for device plugins or the API server holds little, and must not keep the others from their picture.
    private final Semaphore asking = new Semaphore(8 * AT_ONCE);
    private final UiFiles files = UiFiles.load();

    public ViewRoutes(
            Vertx vertx, Ledger ledger, ViewAccess viewing, Supplier<Optional<String>> unready, Executor blocking) {
        this.vertx = vertx;
        this.blocking = blocking;
        this.access = viewing.access();
        ViewRevisions revisions = new ViewRevisions(ledger, viewing.explain());
        this.answers = new ViewResponses(ledger, viewing, revisions, unready);
        vertx.setPeriodic(REST.toMillis(), timer -> blocking.execute(() -> revisions.rest(System.nanoTime())));
    }

    /** Whether that path is one of these. */
    public boolean has(String path) {
        return access != ViewAccess.Access.OFF && (path.startsWith(VIEW) || UiFiles.has(path));
    }

    /** Whether that path needs no client certificate. */
    public boolean open(String path) {
        return access == ViewAccess.Access.OPEN && has(path);
    }

    public void get(HttpServerRequest request, String path) {
        if (UiFiles.has(path)) {
            files.answer(request, path);
            return;
        }
        String what = path.substring(VIEW.length());
        MultiMap parameters = request.params();
        Step<ViewResponses.Answer> question = () -> answers.ask(what, parameters);
        later(
                request,
                what.startsWith(TEXT),
                ViewResponses.takesOthers(what) ? () -> turn(asking, question) : question);
    }

    /** Whether that path takes a body. */
    public static boolean takesBody(String path) {
        return path.equals(VIEW + "explain");
    }

    public void post(HttpServerRequest request, byte[] body) {
        MultiMap parameters = request.params();
        later(request, false, () -> () -> answers.explain(parameters, body));
    }

    private interface Step<T> {
        T take() throws ViewResponses.Refused, InterruptedException;
    }

    private static <T> T turn(Semaphore turns, Step<T> step) throws ViewResponses.Refused, InterruptedException {
        if (!turns.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new ViewResponses.Refused(503, "too many look at once; try again");
        }
        try {
            return step.take();
        } finally {
            turns.release();
        }
    }

    private record Made(int status, String type, Buffer body, boolean packed) {}

    private void later(HttpServerRequest request, boolean text, Step<ViewResponses.Answer> question) {
        Context loop = vertx.getOrCreateContext();
        boolean packs =
                String.valueOf(request.getHeader(HttpHeaders.ACCEPT_ENCODING)).contains("gzip");
        blocking.execute(() -> {
            Made made = made(text, packs, question);
            loop.runOnContext(nothing -> send(request, made));
        });
    }

    private Made made(boolean text, boolean packs, Step<ViewResponses.Answer> question) {
        try {
            ViewResponses.Answer answer = question.take();
            return turn(working, () -> {
                Buffer body = answer.make();
                boolean packed = packs && body.length() > WORTH_PACKING;
                return new Made(
                        200, text ? HttpResponse.TEXT : HttpResponse.JSON, packed ? packed(body) : body, packed);
            });
        } catch (ViewResponses.Refused e) {
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
                ? new Made(200, HttpResponse.TEXT, Buffer.buffer("error: " + sentence + "\n"), false)
                : new Made(status, HttpResponse.JSON, JsonWriter.error(sentence), false);
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

    private static void send(HttpServerRequest request, Made made) {
        request.response()
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        if (made.packed()) {
            request.response().putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        HttpResponse.send(request, made.status(), made.type(), made.body());
    }
}
