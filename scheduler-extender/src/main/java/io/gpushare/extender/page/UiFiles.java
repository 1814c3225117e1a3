package io.gpushare.extender.page;

import io.gpushare.extender.http.HttpResponse;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
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
 * The page's files, from our jar and from the library's: a fixed list, read once. The page loads nothing from elsewhere,
 * and its policy forbids it.
 */
final class UiFiles {
    private static final String ROOT = "/ui/";
    private static final String OURS = "/io/gpushare/extender/ui/";
    private static final String LIBRARY = "lit-html";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private record File(String type, Buffer content, String tag) {}

    private final Map<String, File> files = new HashMap<>();

    private UiFiles() {}

    static UiFiles load() {
        UiFiles all = new UiFiles();
        for (String name : new String[] {
            "index.html", "icon.svg", "page.css", "page.js", "picture.js", "nodes.js", "map.js", "more.js", "words.js"
        }) {
            all.add(ROOT + name, OURS + name);
        }
        all.files.put(ROOT, Objects.requireNonNull(all.files.remove(ROOT + "index.html")));
        String library = "/META-INF/resources/webjars/" + LIBRARY + "/" + libraryVersion() + "/";
        for (String name :
                new String[] {"lit-html.js", "directive.js", "directive-helpers.js", "directives/repeat.js"}) {
            all.add(ROOT + "lib/" + name, library + name);
        }
        return all;
    }

    private static String libraryVersion() {
        Properties properties = new Properties();
        try (InputStream text = open("/META-INF/maven/org.webjars.npm/" + LIBRARY + "/pom.properties")) {
            properties.load(text);
        } catch (IOException e) {
            throw new UncheckedIOException("a jar of ours", e);
        }
        return properties.getProperty("version");
    }

    private static InputStream open(String resource) {
        return Objects.requireNonNull(UiFiles.class.getResourceAsStream(resource), resource);
    }

    private void add(String path, String resource) {
        try (InputStream bytes = open(resource)) {
            byte[] content = bytes.readAllBytes();
            CRC32 sum = new CRC32();
            sum.update(content);
            files.put(
                    path,
                    new File(type(resource), Buffer.buffer(content), "\"" + Long.toHexString(sum.getValue()) + "\""));
        } catch (IOException e) {
            throw new UncheckedIOException("a jar of ours", e);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".html" -> "text/html; charset=utf-8";
            case ".css" -> "text/css; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Whether that path is the page's. */
    static boolean has(String path) {
        return path.equals("/ui") || path.startsWith(ROOT);
    }

    void answer(HttpServerRequest request, String path) {
        HttpServerResponse response = request.response();
        if (path.equals("/ui")) {
            // Relative, since a proxy may have put something before our path.
            response.setStatusCode(308).putHeader(HttpHeaders.LOCATION, "ui/").end();
            return;
        }
        @Nullable File file = files.get(path);
        if (file == null) {
            HttpResponse.error(request, 404, HttpResponse.NOTHING_HERE);
            return;
        }
        response.putHeader("Content-Security-Policy", POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
                .putHeader(HttpHeaders.ETAG, file.tag());
        if (file.tag().equals(request.getHeader(HttpHeaders.IF_NONE_MATCH))) {
            response.setStatusCode(304).end();
            return;
        }
        HttpResponse.send(request, 200, file.type(), file.content());
    }
}
