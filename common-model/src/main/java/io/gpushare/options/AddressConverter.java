package io.gpushare.options;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an address to listen on: {@code <host>:<port>}, or {@code :<port>} for all addresses; empty is null. */
public final class AddressConverter implements ITypeConverter<@Nullable InetSocketAddress> {
    private static final Pattern FORM = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:]*):([0-9]{1,5})");
    private static final int LARGEST = 65_535;

    @Override
    public @Nullable InetSocketAddress convert(String text) {
        if (text.isEmpty()) {
            return null;
        }
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > LARGEST) {
            throw new TypeConversionException(
                    "'" + text + "' is not an address: write :9450 or 127.0.0.1:9450, for example");
        }
        String host = matcher.group(1).replaceAll("[\\[\\]]", "");
        int port = Integer.parseInt(matcher.group(2));
        InetSocketAddress address = host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new TypeConversionException("'" + text + "': host '" + host + "' does not exist");
        }
        return address;
    }
}
