package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.workload.Workload;
import java.net.URI;
import java.nio.file.Path;

/** The first screen of the sandbox: what it is, and what to try in another terminal. */
final class Guide {
    private Guide() {}

    static String text(URI page, Path folder) {
        return """
            GPU Share sandbox: the real device plugin and extender, with simulated cards, kubelets and API server.
            Pods come and go; their use moves. Your own pods may come too. Ctrl-C ends it and leaves nothing behind.

              page       %s
              terminal   export KUBECONFIG=%s PATH=$PWD/deploy/kubectl:$PATH
              try        kubectl apply -f deploy/samples          kubectl get pods -o wide
                         kubectl gpushare                         kubectl gpushare top pods -A
                         kubectl gpushare why %-10s          kubectl gpushare waste
              claims     kubectl apply -f deploy/samples/claims   kubectl get resourceclaims,resourceslices
                         kubectl gpushare -d %-18s kubectl gpushare why claims-a-share
              logs       %s

            """.formatted(
                        page,
                        folder.resolve("kubeconfig"),
                        Workload.TOO_BIG,
                        SandboxNode.CLAIMS.name(),
                        folder.resolve("logs"));
    }
}
