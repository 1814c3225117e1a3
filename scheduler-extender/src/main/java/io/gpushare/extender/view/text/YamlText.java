package io.gpushare.extender.view.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;

/**
 * JSON as YAML in the form that kubectl prints. Strings that YAML could take for something else are quoted as in JSON.
 */
public final class YamlText {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9(][A-Za-z0-9_./(),-]*)*");
    private static final Pattern WORD = Pattern.compile("(?i)true|false|null|yes|no|on|off|y|n");

    private final StringBuilder text = new StringBuilder();
    private final JsonParser parser;

    private YamlText(JsonParser parser) {
        this.parser = parser;
    }

    /**
     * The same as YAML.
     *
     * @param json one JSON object, which this program wrote
     */
    public static String of(byte[] json) {
        try (JsonParser parser = JSON.createParser(json)) {
            YamlText yaml = new YamlText(parser);
            parser.nextToken();
            yaml.object(0, true);
            return yaml.text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException("JSON of this program", e);
        }
    }

    /** @param begun whether the first key continues the current line */
    private void object(int indent, boolean begun) throws IOException {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.END_OBJECT) {
            text.append(begun ? "{}\n" : " {}\n");
            return;
        }
        if (!begun) {
            text.append('\n');
        }
        boolean first = begun;
        while (token == JsonToken.FIELD_NAME) {
            indent(first ? 0 : indent);
            first = false;
            text.append(string(parser.currentName())).append(':');
            value(parser.nextToken(), indent);
            token = parser.nextToken();
        }
    }

    private void value(JsonToken token, int indent) throws IOException {
        switch (token) {
            case START_OBJECT -> object(indent + 2, false);
            case START_ARRAY -> array(indent);
            default -> text.append(' ').append(scalar(token)).append('\n');
        }
    }

    private void array(int indent) throws IOException {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.END_ARRAY) {
            text.append(" []\n");
            return;
        }
        text.append('\n');
        while (token != JsonToken.END_ARRAY) {
            indent(indent);
            text.append('-');
            switch (token) {
                case START_OBJECT -> {
                    text.append(' ');
                    object(indent + 2, true);
                }
                case START_ARRAY -> array(indent + 2);
                default -> text.append(' ').append(scalar(token)).append('\n');
            }
            token = parser.nextToken();
        }
    }

    private void indent(int blanks) {
        text.append(" ".repeat(blanks));
    }

    private String scalar(JsonToken token) throws IOException {
        return token == JsonToken.VALUE_STRING ? string(parser.getText()) : parser.getText();
    }

    private static String string(String value) {
        return PLAIN.matcher(value).matches() && !WORD.matcher(value).matches()
                ? value
                : '"' + new String(JsonStringEncoder.getInstance().quoteAsString(value)) + '"';
    }
}
