package io.gpushare.insight.routes;

import com.fasterxml.jackson.core.JsonParser;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.protocol.PodReader;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.insight.report.Explainer;
import io.gpushare.insight.report.Explanation;
import io.gpushare.insight.routes.ViewParameters.Output;
import io.gpushare.insight.text.WhyText;
import io.gpushare.insight.view.Why;
import io.gpushare.insight.waste.CardUsage;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers why a pod waits. */
final class WhyAnswers {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 1000;
    private static final int NODES_OF_TEXT = 10;

    private final Explainer explainer;
    private final CardUsage usage;

    WhyAnswers(Explainer explainer, CardUsage usage) {
        this.explainer = explainer;
        this.usage = usage;
    }

    Answer page(ViewParameters parameters) throws RefusedException {
        Page page = Page.of(parameters);
        Explanation.OfPod explained = explanation(parameters);
        List<PodOnCard> holds = holds(explained);
        return Answer.json(() -> Why.of(explained, holds, page.from(), page.limit()));
    }

    private record Page(int from, int limit) {
        static Page of(ViewParameters parameters) throws RefusedException {
            return new Page(
                    parameters.number("from", 0, Integer.MAX_VALUE), parameters.number("limit", PAGE, LARGEST_PAGE));
        }
    }

    /** What a bound pod holds of cards, and uses of them as far as its node's device plugin reports now. */
    private List<PodOnCard> holds(Explanation.OfPod explained) {
        return Optional.ofNullable(explained.on()).stream()
                .flatMap(node ->
                        PodOnCard.of(node, usage.of(List.of(node)).getOrDefault(node.name(), NodeUse.UNKNOWN)).stream())
                .filter(on -> on.pod().equals(explained.pod().ref()))
                .toList();
    }

    Answer text(ViewParameters parameters) throws RefusedException {
        Output output = parameters.output();
        // The reasons in groups are enough, unless the user wants to see nodes.
        boolean nodes = output == Output.WIDE || parameters.has("limit");
        int limit = parameters.number("limit", NODES_OF_TEXT, LARGEST_PAGE);
        Explanation.OfPod explained = explanation(parameters);
        boolean text = output == Output.TEXT || output == Output.WIDE;
        List<PodOnCard> holds = text ? List.of() : holds(explained);
        return Answer.of(
                output,
                () -> Why.of(explained, holds, 0, limit),
                () -> WhyText.of(explained.explanation(), nodes ? limit : 0));
    }

    /** Explains the pod that the parameters name, as the API server has it now. */
    private Explanation.OfPod explanation(ViewParameters parameters) throws RefusedException {
        String namespace = parameters.text("namespace", "default");
        String name = parameters.text("pod", "");
        if (name.isEmpty()) {
            throw new RefusedException(400, "name the pod in 'pod' and its namespace in 'namespace'");
        }
        try {
            return explainer
                    .pod(namespace, name)
                    .orElseThrow(() -> new RefusedException(
                            404,
                            "pod \"" + name + "\" not found in namespace " + namespace
                                    + "; name its namespace with -n"));
        } catch (PodApi.Failure e) {
            throw new RefusedException(502, "the pod can't be read from the API server now: " + e.getMessage());
        }
    }

    /** Explains a pod whose manifest is the body. */
    Answer manifest(ViewParameters parameters, byte[] body) throws RefusedException {
        try (JsonParser parser = JsonBody.FACTORY.createParser(body)) {
            parser.nextToken();
            @Nullable SchedulingPod pod = PodReader.read(parser);
            if (pod == null || pod.containers().isEmpty()) {
                throw new RefusedException(400, "the body is no Pod with containers, as JSON");
            }
            Page page = Page.of(parameters);
            Explanation explanation =
                    explainer.of(pod, new PodJson(Json.read(new ByteArrayInputStream(body))).nodeRules());
            return Answer.json(() -> Why.of(explanation, page.from(), page.limit()));
        } catch (BadRequestException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new RefusedException(400, "the body is not JSON: send the manifest of one Pod as JSON");
        }
    }
}
