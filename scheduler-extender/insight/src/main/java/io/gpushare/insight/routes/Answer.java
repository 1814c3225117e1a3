package io.gpushare.insight.routes;

import io.gpushare.insight.routes.ViewParameters.Output;
import io.gpushare.insight.view.ViewJson;
import io.vertx.core.buffer.Buffer;
import java.util.function.Supplier;

/** A response for which everything has been fetched. Making it takes processor time only. */
interface Answer {
    Buffer make() throws RefusedException;

    /** Fetches what the response to one path is made from; may wait for device plugins or the API server. */
    interface Question {
        Answer ask(ViewParameters parameters) throws RefusedException;
    }

    static Answer json(Supplier<?> value) {
        return () -> ViewJson.json(value.get());
    }

    static Answer text(Supplier<String> text) {
        return () -> Buffer.buffer(text.get());
    }

    /** The value in JSON or YAML, or its text. */
    static Answer of(Output output, Supplier<?> value, Supplier<String> text) {
        return switch (output) {
            case TEXT, WIDE -> text(text);
            case JSON -> json(value);
            case YAML -> () -> ViewJson.yaml(value.get());
            case CSV ->
                () -> {
                    throw new RefusedException(400, "only waste has --output csv");
                };
        };
    }
}
