package io.gpushare.extender.cluster;

import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads and binds pods through the Kubernetes API. */
public final class PodClient implements PodApi {
    private final KubernetesApi api;
    private final BooleanSupplier mayWrite;
    private final UnaryOperator<PodState> shown;

    /**
     * @param mayWrite checked before each Binding, which then ends within 5 s
     * @param shown a pod as the ledger is shown it
     */
    public PodClient(KubernetesApi api, BooleanSupplier mayWrite, UnaryOperator<PodState> shown) {
        this.api = api;
        this.mayWrite = mayWrite;
        this.shown = shown;
    }

    @Override
    public Optional<PodState> pod(String namespace, String name) throws Failure {
        try {
            return api.pods().read(namespace, name).map(shown);
        } catch (KubernetesException e) {
            throw failure(e);
        }
    }

    @Override
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
        if (!mayWrite.getAsBoolean()) {
            String sentence = "binding pod " + pod + ": this extender is no longer the leader";
            throw new Failure(Failure.Reach.NEVER_SENT, 0, sentence, new IllegalStateException(sentence));
        }
        try {
            api.pods().bind(pod, node, annotations);
        } catch (KubernetesException e) {
            throw failure(e);
        }
    }

    private static Failure failure(KubernetesException e) {
        Failure.Reach reach = e.status() != 0
                ? Failure.Reach.ANSWERED
                : unreached(e) ? Failure.Reach.NEVER_SENT : Failure.Reach.UNANSWERED;
        return new Failure(reach, e.status(), String.valueOf(e.getMessage()), e);
    }

    /** Whether no connection existed over which the request could have been sent. */
    private static boolean unreached(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }
}
