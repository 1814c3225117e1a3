package io.gpushare.mps.control;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of memory as the control program writes and reads it. It is sent in whole M: versions 535 and 550 misread other
 * units and fractions without a word, and cut what they print to whole G from 1,024M on.
 */
final class MemoryText {
    private static final Pattern FORM = Pattern.compile("\\s*([0-9]{1,9})([MG])\\s*");

    private MemoryText() {}

    static String of(long mib) {
        return mib + "M";
    }

    /** The amount in MiB; empty if it is none. */
    static OptionalLong parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(form.group(1));
        return OptionalLong.of(form.group(2).equals("G") ? number * 1024 : number);
    }

    /** Whether the control program prints this for that limit. */
    static boolean isPrintedFor(long mib, String text) {
        OptionalLong printed = parse(text);
        return printed.isPresent()
                && (printed.getAsLong() == mib || (mib >= 1024 && printed.getAsLong() == mib / 1024 * 1024));
    }
}
