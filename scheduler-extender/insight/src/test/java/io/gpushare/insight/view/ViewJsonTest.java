package io.gpushare.insight.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class ViewJsonTest {
    @Test
    void yamlHasTheFormOfKubectl() {
        String json = """
            {"version":1,"nodes":[{"name":"gpu-a","cards":[{"model":"Tesla T4","whole":true,"shares":[0,8]},{}],
             "empty":[],"nothing":{}}],"sentence":"too small: it has 15 GiB","yes":"yes","number":"12","line":"a\\nb",
             "nested":{"a":{"b":null}}}\
            """;
        assertThat(ViewJson.yaml(new JsonObject(json).getMap()).toString()).isEqualTo("""
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
            line: |-
              a
              b
            nested:
              a:
                b: null
            """);
    }
}
