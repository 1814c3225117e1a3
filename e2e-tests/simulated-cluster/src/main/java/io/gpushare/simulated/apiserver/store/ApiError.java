package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An error of the API server: an HTTP code and a v1 Status object with the real server's text. */
public final class ApiError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final String reason;
    private final String kind;
    private final String name;
    private final String field;

    private ApiError(int code, String reason, String kind, String name, String message) {
        this(code, reason, kind, name, message, "");
    }

    private ApiError(int code, String reason, String kind, String name, String message, String field) {
        super(message, null, false, false);
        this.code = code;
        this.reason = reason;
        this.kind = kind;
        this.name = name;
        this.field = field;
    }

    /** An error without details of an object. */
    public static ApiError of(int code, String reason, String message) {
        return new ApiError(code, reason, "", "", message);
    }

    public static ApiError badRequest(String message) {
        return new ApiError(400, "BadRequest", "", "", message);
    }

    public static ApiError notFound(ApiResource resource, String name) {
        return new ApiError(
                404, "NotFound", resource.plural, name, resource.qualified() + " \"" + name + "\" not found");
    }

    public static ApiError noSuchPath() {
        return new ApiError(404, "NotFound", "", "", "the server could not find the requested resource");
    }

    public static ApiError alreadyExists(ApiResource resource, String name) {
        return new ApiError(
                409, "AlreadyExists", resource.plural, name, resource.qualified() + " \"" + name + "\" already exists");
    }

    public static ApiError conflict(String resource, String name, String why) {
        return new ApiError(
                409,
                "Conflict",
                resource,
                name,
                "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why);
    }

    public static ApiError modified(ApiResource resource, String name) {
        return conflict(
                resource.qualified(),
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    public static ApiError invalid(ApiResource resource, String name, String why) {
        return new ApiError(
                422, "Invalid", resource.plural, name, resource.kind + " \"" + name + "\" is invalid: " + why);
    }

    /** A field that can't be changed. */
    public static ApiError immutable(ApiResource resource, String name, String field, String value) {
        return new ApiError(
                422,
                "Invalid",
                resource.kind,
                name,
                resource.kind + " \"" + name + "\" is invalid: " + field + ": Invalid value: \"" + value
                        + "\": field is immutable",
                field);
    }

    public static ApiError methodNotAllowed() {
        return new ApiError(
                405, "MethodNotAllowed", "", "", "the server does not allow this method on the requested resource");
    }

    public static ApiError unsupportedPatch(String type) {
        return new ApiError(
                415,
                "UnsupportedMediaType",
                "",
                "",
                "the body of the request was in an unknown format - accepted media types include: "
                        + "application/merge-patch+json, application/strategic-merge-patch+json; got " + type);
    }

    public static ApiError expired(long requested, long oldest) {
        return new ApiError(410, "Expired", "", "", "too old resource version: " + requested + " (" + oldest + ")");
    }

    public static ApiError internal(String message) {
        return new ApiError(500, "InternalError", "", "", "Internal error occurred: " + message);
    }

    /** The service proxy finds no pod that is ready, or no port of that name. */
    public static ApiError noEndpoints(String service) {
        return new ApiError(
                503, "ServiceUnavailable", "", "", "no endpoints available for service \"" + service + "\"");
    }

    public static ApiError unavailable() {
        return new ApiError(
                503, "ServiceUnavailable", "", "", "the server is currently unable to handle the request (ordered)");
    }

    public int code() {
        return code;
    }

    public ObjectNode status() {
        ObjectNode status = Documents.empty();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", getMessage()).put("reason", reason);
        if (!kind.isEmpty()) {
            ObjectNode details = status.putObject("details").put("name", name).put("kind", kind);
            if (!field.isEmpty()) {
                details.putArray("causes")
                        .addObject()
                        .put("reason", "FieldValueInvalid")
                        .put("message", getMessage())
                        .put("field", field);
            }
        }
        return status.put("code", code);
    }

    public static ObjectNode success(int code) {
        ObjectNode status = Documents.empty();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        return status.put("status", "Success").put("code", code);
    }
}
