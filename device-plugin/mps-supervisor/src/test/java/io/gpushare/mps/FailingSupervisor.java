package io.gpushare.mps;

/** A supervisor that fails at once. */
final class FailingSupervisor {
    private FailingSupervisor() {}

    public static void main(String[] args) {
        System.exit(SupervisorMain.serve(
                () -> {
                    throw new IllegalStateException("the failure of a test");
                },
                () -> System.out.println("stopped")));
    }
}
