package io.gpushare.simulation.trace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** A table of plain comma-separated values whose first line names the columns; no quotes, no commas inside a value. */
record Csv(String file, List<String> columns, List<Row> rows) {
    private static final int MAX_COLUMNS = 100;
    private static final int LONGEST_NAME = 253;
    // Sums of many such numbers stay exact.
    private static final int MOST = 1_000_000_000;

    /** One line and its number. */
    record Row(Csv of, int line, List<String> values) {
        String text(String column) throws BadInputException {
            int at = of.columns.indexOf(column);
            if (at < 0) {
                throw new BadInputException(of.file + ": missing column '" + column + "'; its first line names "
                        + shortened(String.join(",", of.columns)));
            }
            return values.get(at);
        }

        /** The text of a column that the file may omit; empty then. */
        String optional(String column) throws BadInputException {
            return of.has(column) ? text(column) : "";
        }

        /** The name of a thing, not empty. */
        String name(String column) throws BadInputException {
            String name = text(column);
            if (name.isEmpty() || name.length() > LONGEST_NAME) {
                throw invalid("column " + column + " must have a name of 1 to " + LONGEST_NAME + " characters");
            }
            return name;
        }

        /** A whole number from {@code least} up; an empty value is 0. */
        int number(String column, int least) throws BadInputException {
            return number(column, least, MOST);
        }

        /** A whole number from {@code least} to {@code most}; an empty value is 0. */
        int number(String column, int least, int most) throws BadInputException {
            String text = text(column);
            try {
                int number = text.isEmpty() ? 0 : Integer.parseInt(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                throw bad(column, text, least, most);
            }
            throw bad(column, text, least, most);
        }

        private BadInputException bad(String column, String text, int least, int most) {
            return invalid("column " + column + " is '" + shortened(text) + "': write a whole number from " + least
                    + " to " + most);
        }

        /** How many equal rows this row represents: 1 if there is no such column or its value is empty. */
        int count() throws BadInputException {
            return optional("count").isEmpty() ? 1 : number("count", 1);
        }

        /** That text of a column as the profile of a MIG instance. */
        MigProfile profile(String text) throws BadInputException {
            return MigProfile.parse(text.strip())
                    .orElseThrow(() -> invalid("column mig has '" + shortened(text)
                            + "': write profiles as nvidia-smi lists them, such as 3g.40gb or 1g.10gb+me"));
        }

        BadInputException invalid(String sentence) {
            return new BadInputException(of.file + " line " + line + ": " + sentence);
        }
    }

    static Csv read(Path path) throws BadInputException {
        List<String> lines = TextFile.read(path).lines().toList();
        if (lines.isEmpty()) {
            throw new BadInputException(path + " is empty: its first line must name the columns");
        }
        // Spreadsheets begin a file with a byte order mark.
        String first = lines.getFirst().startsWith("\uFEFF") ? lines.getFirst().substring(1) : lines.getFirst();
        Csv csv = new Csv(path.toString(), values(first), new ArrayList<>());
        if (csv.columns.size() > MAX_COLUMNS) {
            throw new BadInputException(path + " names more than " + MAX_COLUMNS + " columns");
        }
        if (new HashSet<>(csv.columns).size() != csv.columns.size()) {
            throw new BadInputException(path + " names a column twice: " + shortened(first));
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
            String many = row.values.size() > MAX_COLUMNS ? "more than " + MAX_COLUMNS : "" + row.values.size();
            throw row.invalid("it has " + many + " values, the first line names " + columns.size());
        }
        rows.add(row);
    }

    /** A part of a text for a message. */
    private static String shortened(String text) {
        return text.length() <= LONGEST_NAME ? text : text.substring(0, LONGEST_NAME) + "…";
    }

    private static List<String> values(String line) {
        List<String> values = new ArrayList<>();
        for (String value : line.split(",", MAX_COLUMNS + 1)) {
            values.add(value.strip());
        }
        return values;
    }

    boolean has(String column) {
        return columns.contains(column);
    }
}
