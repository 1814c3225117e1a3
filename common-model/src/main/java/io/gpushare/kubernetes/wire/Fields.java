package io.gpushare.kubernetes.wire;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.TokenFilter;
import io.gpushare.model.request.PodAnnotations;
import io.gpushare.model.request.PodVariables;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the fields of pods, nodes and Leases that the programs use, by name at any depth. All others are skipped as
 * they arrive: users may write 1.5 MB into an object, and the trees of 50,000 whole pods would take 5 GiB.
 */
final class Fields extends TokenFilter {
    static final Fields OF_OBJECTS = new Fields(
            Set.of(
                    // Lists, events of a watch, and the Status of an error.
                    "items",
                    "continue",
                    "resourceVersion",
                    "type",
                    "object",
                    "code",
                    // Metadata.
                    "metadata",
                    "name",
                    "namespace",
                    "uid",
                    "creationTimestamp",
                    "deletionTimestamp",
                    "ownerReferences",
                    "kind",
                    "controller",
                    // Pods.
                    "spec",
                    "nodeName",
                    "priority",
                    "activeDeadlineSeconds",
                    "terminationGracePeriodSeconds",
                    "containers",
                    "initContainers",
                    "restartPolicy",
                    "resources",
                    "status",
                    "phase",
                    "reason",
                    "podIP",
                    "startTime",
                    "nominatedNodeName",
                    "schedulingGates",
                    "schedulingGroup",
                    "podGroupName",
                    "tolerations",
                    "operator",
                    "affinity",
                    "nodeAffinity",
                    "requiredDuringSchedulingIgnoredDuringExecution",
                    "nodeSelectorTerms",
                    "matchExpressions",
                    "matchFields",
                    "values",
                    "conditions",
                    "message",
                    "lastTransitionTime",
                    "containerStatuses",
                    "initContainerStatuses",
                    "containerID",
                    // The claims that their containers use.
                    "resourceClaims",
                    "resourceClaimName",
                    "resourceClaimTemplateName",
                    "claims",
                    "request",
                    "resourceClaimStatuses",
                    "extendedResourceClaimStatus",
                    "requestMappings",
                    "containerName",
                    "requestName",
                    "resourceName",
                    // Nodes.
                    "unschedulable",
                    "taints",
                    "key",
                    "value",
                    "effect",
                    "timeAdded",
                    "addresses",
                    "address",
                    // Claims.
                    "devices",
                    "exactly",
                    "firstAvailable",
                    "deviceClassName",
                    "allocationMode",
                    "count",
                    "adminAccess",
                    "capacity",
                    "reservedFor",
                    "resource",
                    "allocation",
                    "results",
                    "driver",
                    "pool",
                    "device",
                    "shareID",
                    // Rules that taint devices.
                    "taint",
                    // Events.
                    "involvedObject",
                    "firstTimestamp",
                    "reportingComponent",
                    // Leases.
                    "holderIdentity"),
            Map.ofEntries(
                    entry("annotations", new Keys(key -> PodAnnotations.reads(key) || PodAnnotations.unknown(key))),
                    entry("labels", INCLUDE_ALL),
                    entry("nodeSelector", INCLUDE_ALL),
                    entry("env", new Variables()),
                    entry("limits", INCLUDE_ALL),
                    entry("requests", new Requests()),
                    entry("allocatable", INCLUDE_ALL),
                    entry("consumedCapacity", INCLUDE_ALL),
                    entry("selectors", INCLUDE_ALL),
                    entry("constraints", INCLUDE_ALL),
                    // Of a rule that taints devices: an empty one selects all, and only here it is kept.
                    entry("deviceSelector", INCLUDE_ALL)));

    private final Set<String> names;
    private final Map<String, TokenFilter> maps;

    private Fields(Set<String> names, Map<String, TokenFilter> maps) {
        this.names = names;
        this.maps = maps;
    }

    @Override
    public @Nullable TokenFilter includeProperty(String name) {
        return names.contains(name) ? this : maps.get(name);
    }

    /** Quantities by the names of resources or capacities; or the list of the requests of a claim. */
    private static final class Requests extends TokenFilter {
        @Override
        public TokenFilter includeProperty(String resource) {
            return INCLUDE_ALL;
        }

        @Override
        public TokenFilter includeElement(int index) {
            return OF_OBJECTS;
        }
    }

    /**
     * The names of variables. A pod may set 200,000, and each would be an object here.
     */
    private static final class Variables extends TokenFilter {
        @Override
        public @Nullable TokenFilter includeProperty(String key) {
            return key.equals("name") ? this : null;
        }

        @Override
        public boolean includeString(String name) {
            return PodVariables.reads(name);
        }

        @Override
        public boolean includeValue(JsonParser value) throws IOException {
            return value.currentToken() == JsonToken.VALUE_STRING && includeString(value.getText());
        }

        @Override
        protected boolean _includeScalar() {
            return false;
        }
    }

    /** Selects entries of a map. */
    private static final class Keys extends TokenFilter {
        private final Predicate<String> keys;

        Keys(Predicate<String> keys) {
            this.keys = keys;
        }

        @Override
        public @Nullable TokenFilter includeProperty(String key) {
            return keys.test(key) ? INCLUDE_ALL : null;
        }
    }
}
