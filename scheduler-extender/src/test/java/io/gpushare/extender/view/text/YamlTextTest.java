package io.gpushare.extender.view.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class YamlTextTest {
    @Test
    void jsonIsWrittenInTheFormOfKubectl() {
        String json = """
            {"version":1,"nodes":[{"name":"gpu-a","cards":[{"model":"Tesla T4","whole":true,"shares":[0,8]},{}],
             "empty":[],"nothing":{}}],"sentence":"too small: it has 15 GiB","yes":"yes","number":"12","line":"a\\nb",
             "nested":{"a":{"b":null}}}\
            """;
        assertThat(YamlText.of(json.getBytes(StandardCharsets.UTF_8))).isEqualTo("""
            version: 1
            nodes:
            - name: gpu-a
              cards:
              - model: Tesla T4
                whole: true
                shares:
                - 0
                - 8
              - {}
              empty: []
              nothing: {}
            sentence: "too small: it has 15 GiB"
            "yes": "yes"
            number: "12"
            line: "a\\nb"
            nested:
              a:
                b: null
            """);
    }
}
