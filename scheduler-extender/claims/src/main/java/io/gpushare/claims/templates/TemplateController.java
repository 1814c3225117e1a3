package io.gpushare.claims.templates;

import io.gpushare.claims.templates.TemplateUse.Template;
import io.gpushare.extender.Core;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the templates that waiting pods name and that are missing, and removes those for which no pod waits any more.
 * Kubernetes makes the claims from them, which belong to the pods. Only the leading extender acts.
 *
 * <p>A template of that name that somebody else made with another content is left alone: the pod gets an Event.
 */
public final class TemplateController {
    /** The label of the templates that it made. */
    static final String LABEL = "gpushare.io/template=requests";

    private static final Logger LOG = LoggerFactory.getLogger(TemplateController.class);
    private static final String REASON = "GpuClaimTemplate";
    private static final int REFUSED = 400;
    private static final int TOO_MANY = 429;
    private static final int BROKEN = 500;
    private static final Duration REST = Duration.ofMillis(500);
    private static final Duration BETWEEN_LISTS = Duration.ofMinutes(1);
    private static final Duration AFTER_FAILED_LIST = Duration.ofSeconds(10);
    private static final Duration BETWEEN_LOGS = Duration.ofSeconds(30);

    private final ResourceApi api;
    private final Supplier<Map<PodRef, List<String>>> waiting;
    private final BooleanSupplier ready;
    private final EventRecorder events;
    private final InstantSource clock;
    private final TemplateUse use = new TemplateUse();
    private Instant listed = Instant.MIN;
    private Instant logged = Instant.MIN;
    private String failure = "";

    TemplateController(
            ResourceApi api,
            Supplier<Map<PodRef, List<String>>> waiting,
            BooleanSupplier ready,
            EventRecorder events,
            InstantSource clock) {
        this.api = api;
        this.waiting = waiting;
        this.ready = ready;
        this.events = events;
        this.clock = clock;
    }

    /** Starts it beside that extender. */
    public static PeriodicTask start(Core core) {
        TemplateController controller = new TemplateController(
                core.api().resources(),
                core.templates(),
                core::ready,
                core.events(),
                core.clocks().steady());
        return PeriodicTask.rounds("claim-templates", REST, controller::round).start();
    }

    /** One look at what pods wait for. */
    void round() {
        if (!ready.getAsBoolean()) {
            listed = Instant.MIN; // another extender acts meanwhile
            return;
        }
        Instant now = clock.instant();
        use.waiting(waiting.get());
        try {
            listIfDue(now);
            for (var due : use.due(now).entrySet()) {
                ensured(due.getKey(), due.getValue(), now);
            }
            for (Template template : use.unused(now)) {
                removed(template, now);
            }
        } catch (KubernetesException e) {
            failed(String.valueOf(e.getMessage()), now);
        }
    }

    private void ensured(Template template, PodRef pod, Instant now) throws KubernetesException {
        try {
            ensure(template, pod, now);
        } catch (KubernetesException e) {
            refuse(template, pod, now, refusal(e, now));
        }
    }

    private void removed(Template template, Instant now) throws KubernetesException {
        try {
            remove(template);
        } catch (KubernetesException e) {
            refusal(e, now);
            use.kept(template, now);
        }
    }

    /** What the API server refuses, as by a quota or in a namespace that is being deleted, does not stop the others. */
    private String refusal(KubernetesException e, Instant now) throws KubernetesException {
        if (e.status() < REFUSED || e.status() >= BROKEN || e.status() == TOO_MANY) {
            throw e;
        }
        String message = String.valueOf(e.getMessage());
        failed(message, now);
        return message;
    }

    /** Logs one line for all of a round, and of those after it: each name has another message. */
    private void failed(String message, Instant now) {
        if (!message.equals(failure) && !now.isBefore(logged.plus(BETWEEN_LOGS))) {
            LOG.warn("{}; retrying", message);
            failure = message;
            logged = now;
        }
    }

    /** What pods wait for does not wait for the list: others may give the label to many large objects. */
    private void listIfDue(Instant now) {
        if (listed.equals(Instant.MIN) || !now.isBefore(listed.plus(BETWEEN_LISTS))) {
            try {
                list(now);
            } catch (KubernetesException e) {
                failed(String.valueOf(e.getMessage()), now);
                listed = now.minus(BETWEEN_LISTS).plus(AFTER_FAILED_LIST);
            }
        }
    }

    private void list(Instant now) throws KubernetesException {
        Set<Template> all = new HashSet<>();
        // Anyone may give the label to objects of a namespace: more than it may have and one are as good as full.
        Map<String, Integer> ofNamespace = new HashMap<>();
        api.eachTemplate(LABEL, (namespace, name) -> {
            if (ofNamespace.getOrDefault(namespace, 0) <= TemplateUse.MOST_OF_A_NAMESPACE
                    && TemplateName.parse(name).isPresent()) {
                ofNamespace.merge(namespace, 1, Integer::sum);
                all.add(new Template(namespace, name));
            }
        });
        use.existing(all, now);
        listed = now;
    }

    private void ensure(Template template, PodRef pod, Instant now) throws KubernetesException {
        Map<String, Object> spec = spec(template, sentence -> refuse(template, pod, now, sentence));
        if (spec.isEmpty()) {
            return;
        }
        Optional<Boolean> same = api.templateIs(template.namespace(), template.name(), spec);
        if (same.isPresent() && !same.get()) {
            refuse(
                    template,
                    pod,
                    now,
                    "the ResourceClaimTemplate " + template.name()
                            + " has another content than its name says, and is not"
                            + " replaced: delete it, if it is not yours ask who made it");
        } else if (same.isEmpty() && use.full(template)) {
            refuse(
                    template,
                    pod,
                    now,
                    "the namespace has " + TemplateUse.MOST_OF_A_NAMESPACE
                            + " ResourceClaimTemplates of pods that wait or waited lately, and gets no more: request"
                            + " amounts that other pods request too, or name a template of your own");
        } else if (same.isPresent() || api.createTemplate(template.namespace(), template.name(), LABEL, spec)) {
            if (same.isEmpty()) {
                LOG.info("created claim template {}", template);
                use.exists(template, now);
            }
            use.checked(template, now);
        }
    }

    /** The spec, or none and a sentence why there is none. */
    private static Map<String, Object> spec(Template template, Consumer<String> why) {
        try {
            return TemplateSpec.of(TemplateName.parse(template.name()).orElseThrow());
        } catch (IllegalArgumentException e) {
            why.accept(String.valueOf(e.getMessage()));
            return Map.of();
        }
    }

    private void refuse(Template template, PodRef pod, Instant now, String sentence) {
        if (use.reports(pod, now)) {
            events.warn(pod, REASON, sentence);
        }
        use.checked(template, now);
    }

    /** Removes what it would make itself, and not what somebody else gave the label. */
    private void remove(Template template) throws KubernetesException {
        Map<String, Object> spec = spec(template, _ -> {});
        if (!spec.isEmpty()
                && api.templateIs(template.namespace(), template.name(), spec)
                        .filter(same -> same)
                        .isPresent()) {
            api.deleteTemplate(template.namespace(), template.name());
            LOG.info("removed claim template {}, for which no pod waits", template);
        }
        use.gone(template);
    }
}
