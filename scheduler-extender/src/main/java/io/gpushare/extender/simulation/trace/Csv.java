package io.gpushare.extender.simulation.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** A table of plain comma-separated values whose first line names the columns; no quotes, no commas inside a value. */
record Csv(String file, List<String> columns, List<Row> rows) {
    /** One line and its number. */
    record Row(Csv of, int line, List<String> values) {
        String text(String column) throws BadInputException {
            int at = of.columns.indexOf(column);
            if (at < 0) {
                throw new BadInputException(of.file + ": missing column '" + column + "'; its first line names "
                        + String.join(",", of.columns));
            }
            return values.get(at);
        }

        /** A whole number from {@code least} up; an empty value is 0. */
        int number(String column, int least) throws BadInputException {
            String text = text(column);
            try {
                int number = text.isEmpty() ? 0 : Integer.parseInt(text);
                if (number >= least) {
                    return number;
                }
            } catch (NumberFormatException e) {
                throw bad(column, text, least);
            }
            throw bad(column, text, least);
        }

        private BadInputException bad(String column, String text, int least) {
            return invalid("column " + column + " is '" + text + "': write a whole number, at least " + least);
        }

        /** How many equal rows this row represents: 1 if there is no such column or its value is empty. */
        int count() throws BadInputException {
            return of.columns.contains("count") && !text("count").isEmpty() ? number("count", 1) : 1;
        }

        BadInputException invalid(String sentence) {
            return new BadInputException(of.file + " line " + line + ": " + sentence);
        }
    }

    static Csv read(Path path) throws BadInputException {
        List<String> lines;
        try {
            lines = Files.readAllLines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BadInputException(
                    path + " can't be read as UTF-8 text: " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
        if (lines.isEmpty()) {
            throw new BadInputException(path + " is empty: its first line must name the columns");
        }
        Csv csv = new Csv(path.toString(), values(lines.getFirst()), new ArrayList<>());
        if (new HashSet<>(csv.columns).size() != csv.columns.size()) {
            throw new BadInputException(path + " names a column twice: " + lines.getFirst());
        }
        for (int i = 1; i < lines.size(); i++) {
            csv.add(i + 1, lines.get(i));
        }
        return csv;
    }

    private void add(int number, String line) throws BadInputException {
        if (line.isBlank()) {
            return;
        }
        Row row = new Row(this, number, values(line));
        if (row.values.size() != columns.size()) {
            throw row.invalid("it has " + row.values.size() + " values, the first line names " + columns.size());
        }
        rows.add(row);
    }

    private static List<String> values(String line) {
        List<String> values = new ArrayList<>();
        for (String value : line.split(",", -1)) {
            values.add(value.strip());
        }
        return values;
    }

    boolean has(String column) {
        return columns.contains(column);
    }
}
