package io.gpushare.insight.routes;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.MimeMapping;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page's files: a fixed list from this jar and from lit-html's, read once. vertx-web's StaticHandler does
 * not fit: it copies resources to a writable directory, and it validates caches by modification time, which is the same
 * in every reproducible build.
 */
final class UiFiles {
    private static final String RESOURCES = "/io/gpushare/insight/ui/";
    private static final String LIBRARY = "lit-html";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private record File(String type, Buffer content, Buffer compressed, String tag) {}

    // Keyed by the path below /ui/.
    private final Map<String, File> files = new HashMap<>();

    private UiFiles() {}

    static UiFiles load() {
        UiFiles all = new UiFiles();
        all.add("", RESOURCES + "index.html");
        for (String name : new String[] {
            "icon.svg",
            "page.css",
            "page.js",
            "snapshot.js",
            "token.js",
            "nodes.js",
            "map.js",
            "more.js",
            "pod.js",
            "filters.js",
            "header.js",
            "waiting.js",
            "waste.js",
            "defrag.js",
            "grafana.js",
            "words.js"
        }) {
            all.add(name, RESOURCES + name);
        }
        String library = "/META-INF/resources/webjars/" + LIBRARY + "/" + libraryVersion() + "/";
        for (String name :
                new String[] {"lit-html.js", "directive.js", "directive-helpers.js", "directives/repeat.js"}) {
            all.add("lib/" + name, library + name);
        }
        return all;
    }

    private static String libraryVersion() {
        Properties properties = new Properties();
        try (InputStream text = open("/META-INF/maven/org.webjars.npm/" + LIBRARY + "/pom.properties")) {
            properties.load(text);
        } catch (IOException e) {
            throw new UncheckedIOException("a resource of this program", e);
        }
        return properties.getProperty("version");
    }

    private static InputStream open(String resource) {
        return Objects.requireNonNull(UiFiles.class.getResourceAsStream(resource), resource);
    }

    private void add(String path, String resource) {
        try (InputStream bytes = open(resource)) {
            Buffer content = Buffer.buffer(bytes.readAllBytes());
            CRC32 sum = new CRC32();
            sum.update(content.getBytes());
            files.put(path, new File(type(resource), content, Gzip.of(content), Long.toHexString(sum.getValue())));
        } catch (IOException e) {
            throw new UncheckedIOException("a resource of this program", e);
        }
    }

    private static String type(String name) {
        String type = Objects.requireNonNull(MimeMapping.mimeTypeForFilename(name), name);
        return type.startsWith("text/") ? type + "; charset=utf-8" : type;
    }

    void addTo(Router router) {
        Methods.get(router, "/", context -> redirect(context, "ui/"));
        Methods.get(router, "/ui/*", this::serve);
    }

    /** @param to relative: a proxy may put a prefix before the path */
    private static void redirect(RoutingContext context, String to) {
        context.response()
                .setStatusCode(308)
                .putHeader(HttpHeaders.LOCATION, to)
                .end();
    }

    private void serve(RoutingContext context) {
        String path = context.normalizedPath();
        if (path.equals("/ui")) {
            redirect(context, "ui/");
            return;
        }
        @Nullable File file = files.get(path.substring("/ui/".length()));
        if (file == null) {
            HttpResponse.error(context.request(), 404, HttpResponse.NOTHING_HERE);
            return;
        }
        context.response()
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
        context.etag(file.tag());
        if (context.isFresh()) {
            context.response().setStatusCode(304).end();
        } else {
            boolean compressed = Gzip.accepted(context.request()) && Gzip.pays(file.content());
            Gzip.send(context.request(), 200, file.type(), compressed ? file.compressed() : file.content(), compressed);
        }
    }
}
