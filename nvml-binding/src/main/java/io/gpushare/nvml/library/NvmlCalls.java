package io.gpushare.nvml.library;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;

/** Calls NVML and turns its return codes, and functions that the driver lacks, into {@link NvmlException}. */
public final class NvmlCalls {
    private final NvmlLibrary library;

    public NvmlCalls(NvmlLibrary library) {
        this.library = library;
    }

    /** One call of NVML. */
    @FunctionalInterface
    public interface Call {
        int invoke(NvmlLibrary nvml);
    }

    /** A call that writes one number. */
    @FunctionalInterface
    public interface NumberCall {
        int invoke(NvmlLibrary nvml, IntByReference number);
    }

    /** A call that writes text into a buffer. */
    @FunctionalInterface
    public interface TextCall {
        int invoke(NvmlLibrary nvml, byte[] text, int length);
    }

    /** A call that returns a handle. */
    @FunctionalInterface
    public interface HandleCall {
        int invoke(NvmlLibrary nvml, PointerByReference device);
    }

    /**
     * The call's return code; {@code what} is NVML's name of the call. A library may lack the call, or have it and not
     * find it in the driver: both are unsupported.
     */
    public int code(String what, Call call) throws NvmlException {
        int code;
        try {
            code = call.invoke(library);
        } catch (UnsatisfiedLinkError e) {
            throw new NvmlException.Unsupported("the driver's library has no " + what, e);
        }
        if (code == NvmlCode.FUNCTION_NOT_FOUND) {
            throw failure(what, code);
        }
        return code;
    }

    public void require(String what, Call call) throws NvmlException {
        int code = code(what, call);
        if (code != NvmlCode.SUCCESS) {
            throw failure(what, code);
        }
    }

    /**
     * Whether the call succeeds; not where card or driver does not support it, or it fails. A missing optional value
     * must not make a working card look broken.
     */
    public boolean succeeds(String what, Call call) throws NvmlException {
        try {
            require(what, call);
            return true;
        } catch (NvmlException.Unsupported | NvmlException.Failed | NvmlException.DriverMissing e) {
            return false;
        }
    }

    /** A call that releases something. It ignores failures, because the released object is not used again. */
    public void end(String what, Call call) {
        try {
            code(what, call);
        } catch (NvmlException e) {
            // A library without the call holds nothing that could be released.
        }
    }

    public int number(String what, NumberCall call) throws NvmlException {
        var number = new IntByReference();
        require(what, nvml -> call.invoke(nvml, number));
        return number.getValue();
    }

    /** The number; empty unless the call {@link #succeeds}. */
    public OptionalInt numberIfSupported(String what, NumberCall call) throws NvmlException {
        var number = new IntByReference();
        return succeeds(what, nvml -> call.invoke(nvml, number))
                ? OptionalInt.of(number.getValue())
                : OptionalInt.empty();
    }

    /** The text; empty unless the call {@link #succeeds}. */
    public Optional<String> textIfSupported(String what, int length, TextCall call) throws NvmlException {
        var text = new byte[length];
        return succeeds(what, nvml -> call.invoke(nvml, text, length)) ? Optional.of(text(text)) : Optional.empty();
    }

    public String text(String what, int length, TextCall call) throws NvmlException {
        var text = new byte[length];
        require(what, nvml -> call.invoke(nvml, text, length));
        return text(text);
    }

    public Pointer handle(String what, HandleCall call) throws NvmlException {
        var device = new PointerByReference();
        require(what, nvml -> call.invoke(nvml, device));
        return device.getValue();
    }

    /** The exception for a return code other than success. */
    public NvmlException failure(String what, int code) {
        String message = what + ": " + describe(code);
        return switch (code) {
            case NvmlCode.DRIVER_NOT_LOADED, NvmlCode.LIBRARY_NOT_FOUND ->
                new NvmlException.DriverMissing(message, code == NvmlCode.LIBRARY_NOT_FOUND, null);
            case NvmlCode.GPU_IS_LOST -> new NvmlException.CardLost(message, null);
            case NvmlCode.NOT_SUPPORTED, NvmlCode.FUNCTION_NOT_FOUND, NvmlCode.ARGUMENT_VERSION_MISMATCH ->
                new NvmlException.Unsupported(message, null);
            default -> new NvmlException.Failed(message, code);
        };
    }

    private String describe(int code) {
        try {
            return library.nvmlErrorString(code) + " (NVML code " + code + ")";
        } catch (UnsatisfiedLinkError e) {
            return "NVML code " + code;
        }
    }

    /** The text before the first zero byte. */
    public static String text(byte[] bytes) {
        return Native.toString(bytes, StandardCharsets.UTF_8);
    }
}
