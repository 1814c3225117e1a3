package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * kube-scheduler's verbs, from request body to response body. Filter and bind always answer with status 200:
 * kube-scheduler drops the body of any other response, and the reason with it. The responses of the others have no
 * field for an error: if the status is not 200, kube-scheduler continues without the scores, or retries the pod without
 * preemption.
 */
public final class Verbs {
    private static final Logger LOG = LoggerFactory.getLogger(Verbs.class);
    private static final String INTERNAL = "internal error of the extender; see its log";

    /** A response body and its status; to kube-scheduler any status but 200 is a failed call. */
    public record Reply(int status, Buffer body) {}

    /** Reads a request. */
    private interface Reader {
        /** Returns what makes the response. */
        Supplier<Reply> read(byte[] body) throws BadRequestException;
    }

    /**
     * A verb of the protocol.
     *
     * @param blocks whether the response is made on a thread of its own
     * @param unready the status of the response of an extender that is not ready
     * @param invalid the status of the response to a body that does not follow the protocol
     */
    public record Verb(
            String name, boolean blocks, int unready, int invalid, Function<String, Buffer> error, Reader reader) {}

    /**
     * What serves the verbs.
     *
     * @param unready why no verb can be served now, as a sentence; empty if it can
     */
    public record Parts(
            NodeSelection selection,
            Preemption preemption,
            Binder binder,
            Supplier<Optional<String>> unready,
            InstantSource clock,
            RequestObserver requests) {}

    private final Parts parts;
    private final List<Verb> all = List.of(
            new Verb("filter", false, 200, 200, FilterResponse::error, this::filter),
            new Verb("prioritize", false, 400, 400, JsonWriter::error, this::prioritize),
            new Verb("preempt", true, 503, 400, JsonWriter::error, this::preempt),
            new Verb("bind", true, 200, 200, JsonWriter::bind, this::bind));

    public Verbs(Parts parts) {
        this.parts = parts;
    }

    public List<Verb> all() {
        return all;
    }

    /** What makes the response to that body. It may block for a verb that does, and needs little time for another. */
    public Supplier<Reply> reply(Verb verb, byte[] body) {
        Optional<String> reason = parts.unready().get();
        if (reason.isPresent()) {
            return () -> failed(verb, "not_ready", verb.unready(), reason.get());
        }
        try {
            return verb.reader().read(body);
        } catch (BadRequestException e) {
            return () -> failed(verb, "bad_request", verb.invalid(), String.valueOf(e.getMessage()));
        }
    }

    /** The response of a call that failed, which is counted. */
    Reply failed(Verb verb, String reason, int status, String sentence) {
        parts.requests().failed(verb.name(), reason);
        return new Reply(status, verb.error().apply(sentence));
    }

    private Supplier<Reply> filter(byte[] body) throws BadRequestException {
        ExtenderArgs args = ExtenderArgs.read(body);
        return () -> {
            FilterResult result = parts.selection().filter(args.pod(), args.names());
            parts.requests().filtered(result);
            return new Reply(200, FilterResponse.of(args, result));
        };
    }

    private Supplier<Reply> prioritize(byte[] body) throws BadRequestException {
        ExtenderArgs args = ExtenderArgs.read(body);
        return () -> {
            int[] scores = parts.selection().prioritize(args.pod(), args.names());
            return new Reply(200, PrioritizeResponse.of(args.names(), scores));
        };
    }

    private Supplier<Reply> preempt(byte[] body) throws BadRequestException {
        PreemptArgs args = PreemptArgs.read(body);
        return () -> {
            try {
                Map<String, Victims> victims = parts.preemption().preempt(args.pod(), args.candidates());
                parts.requests().preempted(args.candidates(), victims);
                return new Reply(200, PreemptArgs.response(victims));
            } catch (RuntimeException e) {
                LOG.error(
                        "preemption for pod {} failed unexpectedly", args.pod().ref(), e);
                parts.requests().failed("preempt", "internal");
                return new Reply(500, JsonWriter.error(INTERNAL));
            }
        };
    }

    private Supplier<Reply> bind(byte[] body) throws BadRequestException {
        BindArgs args = BindArgs.read(body);
        return () -> {
            BindResult result;
            try {
                result = parts.binder()
                        .bind(args.pod(), args.node(), parts.clock().instant());
            } catch (RuntimeException e) {
                LOG.error("binding pod {} to node {} failed unexpectedly", args.pod(), args.node(), e);
                result = new BindResult.Failed(BindResult.Why.UNKNOWN, INTERNAL);
            }
            parts.requests().bound(result);
            return new Reply(
                    200,
                    JsonWriter.bind(
                            switch (result) {
                                case BindResult.Bound _ -> "";
                                case BindResult.Failed(BindResult.Why _, String sentence) -> sentence;
                            }));
        };
    }
}
