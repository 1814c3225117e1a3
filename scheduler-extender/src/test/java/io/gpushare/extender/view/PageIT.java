package io.gpushare.extender.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** The page's files over real HTTP. */
class PageIT extends WithExtender {
    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("a", TestApiServer.TWO_T4);
    }

    @Test
    void thePageIsServedFromTheJarWithAStrictPolicy() throws Exception {
        HttpResponse<String> page = extender.get("/ui/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'; script-src 'self'")
                .doesNotContain("unsafe", "http");
        HttpResponse<String> library = extender.get("/ui/lib/lit-html.js");
        assertThat(library.body()).contains("SPDX-License-Identifier: BSD-3-Clause");
        String tag = library.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = extender.send(extender.request("/ui/lib/lit-html.js")
                .header("If-None-Match", tag)
                .build());
        assertThat(again.statusCode()).isEqualTo(304);
        for (String path : new String[] {"/ui", "/"}) {
            HttpResponse<String> redirect = extender.get(path);
            assertThat(redirect.statusCode()).as(path).isEqualTo(308);
            assertThat(redirect.headers().firstValue("Location")).contains("ui/");
        }
        assertThat(extender.get("/ui/../io/gpushare/insight/version.txt").statusCode())
                .isEqualTo(404);
        assertThat(extender.post("../ui/", "x").statusCode()).isIn(404, 405);
    }
}
