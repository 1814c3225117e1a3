package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles kube-scheduler's verbs, from request body to response. Filter and prioritize run on the event loop, in well
 * under a millisecond for a thousand nodes; preempt and bind run on threads of their own.
 */
public final class VerbHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(VerbHandlers.class);

    private final NodeSelection selection;
    private final Preemption preemption;
    private final Binder binder;
    private final Supplier<Optional<String>> unready;
    private final Executor blocking;
    private final InstantSource clock;
    private final ExtenderMetrics metrics;
    private volatile NodeNames names;

    public VerbHandlers(
            NodeSelection selection,
            Preemption preemption,
            Binder binder,
            Supplier<Optional<String>> unready,
            Executor blocking,
            InstantSource clock,
            ExtenderMetrics metrics) {
        this.selection = selection;
        this.preemption = preemption;
        this.binder = binder;
        this.unready = unready;
        this.blocking = blocking;
        this.clock = clock;
        this.metrics = metrics;
        this.names = new NodeNames(selection.directory());
    }

    private NodeNames names() {
        NodeNames now = names.current(selection.directory());
        names = now;
        return now;
    }

    /** Always answers with status 200: kube-scheduler drops the body of any other response, and the reason with it. */
    public ResponseWriter.Content filter(RequestBody body) {
        Optional<String> reason = unready.get();
        if (reason.isPresent()) {
            metrics.failed("filter", "not_ready");
            return FilterResponse.error(reason.get());
        }
        try {
            ExtenderArgs args = ExtenderArgs.read(body, names());
            FilterResult result = selection.filter(args.pod(), args.named().nodes());
            metrics.filtered(result);
            return FilterResponse.of(args, result);
        } catch (BadRequestException e) {
            metrics.failed("filter", "bad_request");
            return FilterResponse.error(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The response has no field for an error: if the status is not 200, kube-scheduler continues without these scores.
     */
    public Reply prioritize(RequestBody body) {
        Optional<String> reason = unready.get();
        if (reason.isPresent()) {
            metrics.failed("prioritize", "not_ready");
            return new Reply(400, JsonWriter.error(reason.get()));
        }
        try {
            ExtenderArgs args = ExtenderArgs.read(body, names());
            NamedNodes named = args.named();
            return new Reply(200, PrioritizeResponse.of(named, selection.prioritize(args.pod(), named.nodes())));
        } catch (BadRequestException e) {
            metrics.failed("prioritize", "bad_request");
            return new Reply(400, JsonWriter.error(String.valueOf(e.getMessage())));
        }
    }

    /** A response body and its status; to kube-scheduler any status but 200 is a failed call. */
    public record Reply(int status, ResponseWriter.Content body) {
        Reply(int status, Buffer body) {
            this(status, ResponseWriter.Content.of(body));
        }
    }

    /**
     * Answers later, from another thread, because a search over hundreds of nodes takes time. The response has no field
     * for an error: if the status is not 200, kube-scheduler does not preempt and retries the pod.
     */
    public void preempt(RequestBody body, Consumer<Reply> respond) {
        Optional<String> reason = unready.get();
        if (reason.isPresent()) {
            metrics.failed("preempt", "not_ready");
            respond.accept(new Reply(503, JsonWriter.error(reason.get())));
            return;
        }
        try {
            PreemptArgs args = PreemptArgs.read(body);
            blocking.execute(() -> respond.accept(preempt(args)));
        } catch (BadRequestException e) {
            metrics.failed("preempt", "bad_request");
            respond.accept(new Reply(400, JsonWriter.error(String.valueOf(e.getMessage()))));
        }
    }

    private Reply preempt(PreemptArgs args) {
        try {
            Map<String, Victims> victims = preemption.preempt(args.pod(), args.candidates());
            metrics.preempted(args.candidates(), victims);
            return new Reply(200, PreemptArgs.response(victims));
        } catch (RuntimeException e) {
            LOG.error("preemption for pod {} failed unexpectedly", args.pod().ref(), e);
            metrics.failed("preempt", "internal");
            return new Reply(500, JsonWriter.error("internal error of the extender; see its log"));
        }
    }

    /** Answers later, from another thread, always with status 200, as filter does. */
    public void bind(RequestBody body, Consumer<Buffer> respond) {
        Optional<String> reason = unready.get();
        if (reason.isPresent()) {
            metrics.failed("bind", "not_ready");
            respond.accept(JsonWriter.bind(reason.get()));
            return;
        }
        try {
            BindArgs args = BindArgs.read(body);
            blocking.execute(() -> respond.accept(JsonWriter.bind(bind(args))));
        } catch (BadRequestException e) {
            metrics.failed("bind", "bad_request");
            respond.accept(JsonWriter.bind(String.valueOf(e.getMessage())));
        }
    }

    private String bind(BindArgs args) {
        BindResult result;
        try {
            result = binder.bind(args.pod(), args.node(), clock.instant());
        } catch (RuntimeException e) {
            LOG.error("binding pod {} to node {} failed unexpectedly", args.pod(), args.node(), e);
            result = new BindResult.Failed(BindResult.Why.UNKNOWN, "internal error of the extender; see its log");
        }
        metrics.bound(result);
        return switch (result) {
            case BindResult.Bound bound -> "";
            case BindResult.Failed(BindResult.Why why, String sentence) -> sentence;
        };
    }
}
