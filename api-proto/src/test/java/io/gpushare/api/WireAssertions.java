package io.gpushare.api;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Messages laid out by hand, field number by field number, and what a protocol declares, as plain sentences. */
final class WireAssertions {

    private WireAssertions() {}

    @SafeVarargs
    static UnknownFieldSet message(Map.Entry<Integer, Field>... fields) {
        UnknownFieldSet.Builder message = UnknownFieldSet.newBuilder();
        for (Map.Entry<Integer, Field> field : fields) {
            message.mergeField(field.getKey(), field.getValue());
        }
        return message.build();
    }

    static Map.Entry<Integer, Field> field(int number, String text) {
        return field(number, ByteString.copyFromUtf8(text));
    }

    static Map.Entry<Integer, Field> field(int number, UnknownFieldSet message) {
        return field(number, message.toByteString());
    }

    private static Map.Entry<Integer, Field> field(int number, ByteString bytes) {
        return Map.entry(number, Field.newBuilder().addLengthDelimited(bytes).build());
    }

    static Map.Entry<Integer, Field> number(int number, long value) {
        return Map.entry(number, Field.newBuilder().addVarint(value).build());
    }

    static List<String> fieldsOf(FileDescriptor file) {
        return file.getMessageTypes().stream()
                .map(Descriptor::getFields)
                .flatMap(List::stream)
                .map(WireAssertions::sentence)
                .toList();
    }

    static List<String> methodsOf(ServiceDescriptor service) {
        return service.getMethods().stream()
                .map(method -> method.getFullMethodName() + (isStream(method) ? " (stream)" : ""))
                .toList();
    }

    private static boolean isStream(MethodDescriptor<?, ?> method) {
        return method.getType() == MethodDescriptor.MethodType.SERVER_STREAMING;
    }

    private static String sentence(FieldDescriptor field) {
        String owner = field.getContainingType().getName();
        return owner + "." + field.getName() + " = " + field.getNumber() + " " + type(field);
    }

    private static String type(FieldDescriptor field) {
        if (field.isMapField()) {
            return "map";
        }
        String type = field.getType() == FieldDescriptor.Type.MESSAGE
                ? field.getMessageType().getName()
                : field.getType().name().toLowerCase(Locale.ROOT);
        return (field.isRepeated() ? "repeated " : "") + type;
    }
}
