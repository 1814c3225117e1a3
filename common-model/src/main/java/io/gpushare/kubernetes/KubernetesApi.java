package io.gpushare.kubernetes;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import org.jspecify.annotations.Nullable;

/** The connection to the API server. Every call has a deadline. */
public final class KubernetesApi implements AutoCloseable {
    private static final Duration CALL = Duration.ofSeconds(10);
    // A page of 500 pods has up to 130 MB, if all have as many annotations as a pod may have.
    private static final Duration PAGE = Duration.ofSeconds(20);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    // Over HTTP/1.1 each concurrent call needs a connection: this many idle ones are kept for later calls.
    private static final int IDLE_CONNECTIONS = 64;
    private static final Duration IDLE = Duration.ofMinutes(5);
    // A server that stops without closing the connection is detected after two pings.
    private static final Duration PING = Duration.ofSeconds(10);

    private final ApiServer calls;
    private final ApiServer watches;
    private final Pods pods;
    private final Nodes nodes;
    private final Evictions evictions;
    private final AccessReviews reviews;
    private final ResourceApi resources;

    private KubernetesApi(ApiServer calls, ApiServer watches) {
        this.calls = calls;
        this.watches = watches;
        this.pods = new Pods(calls, watches);
        this.nodes = new Nodes(calls, watches);
        this.evictions = new Evictions(calls);
        this.reviews = new AccessReviews(calls);
        this.resources = new ResourceApi(calls, watches);
    }

    /**
     * Prepares the connection to a cluster; it sends nothing yet.
     *
     * @param kubeconfig a kubeconfig file, or null for the service account of the pod that this program runs in
     * @throws IOException if the file or the service account can't be read; the message names it
     */
    public static KubernetesApi connect(@Nullable Path kubeconfig, String userAgent) throws IOException {
        return connect(kubeconfig, userAgent, PAGE);
    }

    /** @param page the deadline of each page of an informer's list */
    static KubernetesApi connect(@Nullable Path kubeconfig, String userAgent, Duration page) throws IOException {
        ApiClient calls = client(kubeconfig, userAgent);
        calls.setHttpClient(calls.getHttpClient()
                .newBuilder()
                .connectionPool(new ConnectionPool(IDLE_CONNECTIONS, IDLE.toSeconds(), TimeUnit.SECONDS))
                .connectTimeout(CONNECT)
                .readTimeout(CALL)
                .build());
        ApiClient watches = client(kubeconfig, userAgent);
        watches.setHttpClient(watches.getHttpClient()
                .newBuilder()
                .connectTimeout(CONNECT)
                .readTimeout(Duration.ZERO)
                .pingInterval(PING)
                .build());
        return of(new HttpTransport(calls, CALL), new HttpTransport(watches, page));
    }

    /**
     * The API behind those transports.
     *
     * @param watches carries lists and watches of informers, whose responses take long
     */
    public static KubernetesApi of(ApiTransport calls, ApiTransport watches) {
        return new KubernetesApi(new ApiServer(calls), new ApiServer(watches));
    }

    private static ApiClient client(@Nullable Path kubeconfig, String userAgent) throws IOException {
        ApiClient client;
        if (kubeconfig == null) {
            client = inCluster();
        } else {
            try (Reader reader = Files.newBufferedReader(kubeconfig)) {
                KubeConfig config = KubeConfig.loadKubeConfig(reader);
                config.setFile(kubeconfig.toFile());
                client = ClientBuilder.kubeconfig(config).build();
            }
        }
        client.setUserAgent(userAgent);
        return client;
    }

    private static ApiClient inCluster() throws IOException {
        if (System.getenv("KUBERNETES_SERVICE_HOST") == null) {
            throw new IOException("no kubeconfig is given and this is not a pod: name a file with --kubeconfig");
        }
        return ClientBuilder.cluster().build();
    }

    public Pods pods() {
        return pods;
    }

    public Nodes nodes() {
        return nodes;
    }

    /** Events that name this program as their source. */
    public Events events(String component) {
        return new Events(calls, Map.of("component", component));
    }

    /** Events that also name its node. */
    public Events events(String component, String host) {
        return new Events(calls, Map.of("component", component, "host", host));
    }

    public Evictions evictions() {
        return evictions;
    }

    public AccessReviews reviews() {
        return reviews;
    }

    /** Claims and slices. */
    public ResourceApi resources() {
        return resources;
    }

    /** A Lease. Each of its calls ends within the deadline. */
    public Leases lease(String namespace, String name, Duration deadline) {
        return new Leases(calls, namespace, name, deadline);
    }

    /** Whether the API server's certificate is for that host, a name in lower case. */
    public boolean named(String host) {
        return calls.named(host) || watches.named(host);
    }

    @Override
    public void close() {
        calls.close();
        watches.close();
    }
}
