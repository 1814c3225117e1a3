package io.gpushare.kubernetes.wire;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of a pod in the API's JSON form, as far as the programs read them. */
final class PodFields {
    private PodFields() {}

    static final class Spec {
        @Nullable
        String nodeName;

        int priority;

        @Nullable
        Long activeDeadlineSeconds;

        @Nullable
        Long terminationGracePeriodSeconds;

        @Nullable
        List<Container> containers;

        @Nullable
        List<Container> initContainers;
    }

    static final class Container {
        @Nullable
        String name;

        @Nullable
        String restartPolicy;

        @Nullable
        ResourceRequirements resources;
    }

    static final class ResourceRequirements {
        @Nullable
        Map<String, String> limits;

        @Nullable
        Map<String, String> requests;

        void strip() {
            limits = shared(limits);
            requests = shared(requests);
        }

        private static @Nullable Map<String, String> shared(@Nullable Map<String, String> quantities) {
            if (quantities == null) {
                return null;
            }
            Map<String, String> kept = new HashMap<>();
            quantities.forEach((name, quantity) -> {
                if (quantity != null) {
                    kept.put(name.intern(), quantity.intern());
                }
            });
            return Map.copyOf(kept);
        }
    }

    static final class Status {
        @Nullable
        String phase;

        @Nullable
        String reason;

        @Nullable
        String podIP;

        @Nullable
        String startTime;

        @Nullable
        String nominatedNodeName;

        @Nullable
        List<Condition> conditions;

        @Nullable
        List<ContainerStatus> initContainerStatuses;

        @Nullable
        List<ContainerStatus> containerStatuses;
    }

    static final class ContainerStatus {
        @Nullable
        String name;

        @Nullable
        String containerID;
    }

    static final class Condition {
        @Nullable
        String type;

        @Nullable
        String status;

        @Nullable
        String reason;

        @Nullable
        String message;

        static Condition ofUnschedulable() {
            Condition condition = new Condition();
            condition.type = "PodScheduled";
            condition.status = "False";
            condition.reason = "Unschedulable";
            return condition;
        }

        boolean unschedulable() {
            return "PodScheduled".equals(type) && "False".equals(status) && "Unschedulable".equals(reason);
        }

        boolean held() {
            return PodObject.HELD.equals(type) && "True".equals(status) && message != null && message.indexOf(':') > 0;
        }
    }
}
