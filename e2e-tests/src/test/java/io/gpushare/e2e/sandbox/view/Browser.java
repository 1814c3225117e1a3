package io.gpushare.e2e.sandbox.view;

import io.gpushare.simulated.patience.Patience;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium. The browser and its driver are the system's, so nothing is downloaded. */
public final class Browser implements AutoCloseable {
    private static final String MISSING = "is not installed: install Chromium and its driver, on Debian by"
            + " apt-get install chromium chromium-driver";

    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    public static Browser start() {
        // Selenium warns that it has no classes for this version's DevTools protocol, which the tests do not use.
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program("chromium"));
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriver driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(program("chromedriver"))
                        .usingAnyFreePort()
                        .build(),
                options);
        driver.manage().timeouts().scriptTimeout(Patience.of(Patience.USUAL));
        return new Browser(driver);
    }

    private static File program(String name) {
        return Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
                .map(folder -> new File(folder, name))
                .filter(File::canExecute)
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " " + MISSING));
    }

    /** Sets the width of the window and the color scheme; a narrow window emulates a phone. */
    public void look(int width, int height, boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    public void open(String address) {
        driver.get(address);
    }

    /** The value of the expression, which may be a promise. */
    public <T> T value(String expression, Class<T> type) {
        return Objects.requireNonNull(type.cast(run(expression)), expression);
    }

    public List<String> texts(String expression) {
        return ((List<?>) value(expression, List.class))
                .stream().map(String::valueOf).toList();
    }

    /** Evaluates the expression and awaits a promise; throws if it fails. */
    @Nullable
    public Object run(String expression) {
        List<?> answer = (List<?>)
                Objects.requireNonNull(driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                        + "(async () => (" + expression + "))()"
                        + ".then(value => done([value, null]), problem => done([null, String(problem)]));"));
        if (answer.get(1) != null) {
            throw new AssertionError(expression + ": " + answer.get(1));
        }
        return answer.getFirst();
    }

    /**
     * Waits until the expression is true, and returns the milliseconds.
     *
     * @param quiet the longest wait on a quiet machine
     */
    public long await(String expression, Duration quiet) throws InterruptedException {
        Duration longest = Patience.of(quiet);
        long began = System.nanoTime();
        while (System.nanoTime() - began < longest.toNanos()) {
            if (value("!!(" + expression + ")", Boolean.class)) {
                return (System.nanoTime() - began) / 1_000_000;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("after " + longest.toSeconds() + " s it is not so: " + expression);
    }

    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    public void shoot(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    /** axe's violations on the current page: rule and element. */
    public List<String> axe() throws IOException {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js")) {
            driver.executeScript(
                    new String(Objects.requireNonNull(script, "axe.min.js").readAllBytes(), StandardCharsets.UTF_8));
        }
        return texts("(await axe.run()).violations.map(v => v.id + ': ' + v.help + ' at ' + v.nodes.slice(0, 3)"
                + ".map(n => n.target + ' ' + n.failureSummary).join(' | '))");
    }

    /** The errors in the browser's log, such as violations of the page's content security policy. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
