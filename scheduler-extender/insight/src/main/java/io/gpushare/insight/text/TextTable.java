package io.gpushare.insight.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rows of text in columns with two blanks between them; the last text of a row is not padded. Columns may be aligned to
 * the right.
 */
final class TextTable {
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private final List<List<String>> rows = new ArrayList<>();
    private final Set<String> right;

    TextTable() {
        this(Set.of());
    }

    /** @param right the headings of columns of figures */
    TextTable(Set<String> right) {
        this.right = right;
    }

    TextTable row(String... cells) {
        return row(List.of(cells));
    }

    TextTable row(List<String> cells) {
        rows.add(cells.stream().map(TextTable::printable).toList());
        return this;
    }

    /** Anyone who writes an annotation could write control characters for terminals into it. */
    static String printable(String cell) {
        return CONTROL.matcher(cell).replaceAll("?");
    }

    boolean isEmpty() {
        return rows.size() <= 1;
    }

    /** The length of a row with all columns padded. */
    int width() {
        int width = 0;
        for (int column : widths()) {
            width += column;
        }
        return width;
    }

    private int[] widths() {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length() + 2);
            }
        }
        return widths;
    }

    private boolean rightAligned(int column) {
        List<String> head = rows.getFirst();
        return column < head.size() && right.contains(head.get(column));
    }

    @Override
    public String toString() {
        int[] widths = widths();
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            int end = text.length();
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                String blanks = " ".repeat(widths[i] - 2 - cell.length());
                boolean toTheRight = rightAligned(i);
                text.append(toTheRight ? blanks : "").append(cell);
                if (!cell.isEmpty()) {
                    end = text.length();
                }
                text.append(toTheRight ? "  " : blanks + "  ");
            }
            text.setLength(end);
            text.append('\n');
        }
        return text.toString();
    }
}
