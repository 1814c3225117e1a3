package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What programs in containers see of the variables that frameworks read, beside those that their pods set. */
@Tag("release")
class FrameworkVariablesIT extends ClusterScenario {
    /** 4 GiB less one context of 518 MiB, of 15 GiB less the 447 MiB that the driver of a T4 reserves. */
    private static final String FRACTION = "0.2399";

    @Test
    void aContainerLearnsItsPartAndWhatThePodSetsItselfCounts() {
        create("given", "", MEMORY + ": 4");
        assertThat(sees("given")).isEqualTo(FRACTION + " new: 4096 argument " + FRACTION);

        create("own", "{name: XLA_PYTHON_CLIENT_MEM_FRACTION, value: '.9'}", MEMORY + ": 4");
        assertThat(sees("own")).isEqualTo(".9 new: 4096 argument " + FRACTION);

        // JAX does not start with both names of its variable.
        create("newer-name", "{name: XLA_CLIENT_MEM_FRACTION, value: '.8'}", MEMORY + ": 4");
        assertThat(sees("newer-name")).isEqualTo("unset new: .8 4096 argument " + FRACTION);
        pods.delete("given", "own", "newer-name");

        create("whole", "", "aliyun.com/gpu-count: 1");
        assertThat(sees("whole")).isEqualTo("unset new: argument $(GPUSHARE_MEMORY_FRACTION)");
    }

    private static String sees(String pod) {
        pods.running(pod);
        return pods.sees(pod, "main");
    }

    private static void create(String name, String variable, String limit) {
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
                - name: main
                  image: %s
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, "echo card: ${XLA_PYTHON_CLIENT_MEM_FRACTION-unset} new: $XLA_CLIENT_MEM_FRACTION\
             $GPUSHARE_MEMORY_MIB argument $0; exec sleep 100000", $(GPUSHARE_MEMORY_FRACTION)]
                  env: [%s]
                  resources: {limits: {%s}}
            """.formatted(name, cluster.workloadImage(), variable, limit));
    }
}
