package io.gpushare.simulation;

import io.gpushare.simulation.trace.ArrivalOrder;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.SeedList;
import io.gpushare.simulation.trace.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A plot of allocated against arrived pods, both in per cent of capacity, as one SVG file. */
public final class SvgPlot {
    private static final int LEFT = 60;
    private static final int TOP = 50;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 420;
    // Distinct for colour-blind readers too (Okabe and Ito).
    private static final List<String> COLOURS =
            List.of("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000");

    private final StringBuilder svg = new StringBuilder();
    private final int most;
    private final int least;

    private SvgPlot(int most, int least) {
        this.most = most;
        this.least = least;
    }

    /** The SVG. If all lines reach 100 % arrived, both axes start at 70 %, which separates close lines. */
    public static String of(String title, List<Result> results) {
        int most = Math.max(1, results.stream().mapToInt(Result::arrived).min().orElseThrow());
        SvgPlot plot = new SvgPlot(most, most >= 100 ? 70 : 0);
        plot.frame(title);
        for (int i = 0; i < results.size(); i++) {
            plot.line(results.get(i), i);
        }
        plot.svg.append("</svg>\n");
        return plot.svg.toString();
    }

    /** Writes a plot of the files of nodes and pods, the file to write, and names of policies with commas. */
    public static void main(String... args) throws IOException, BadInputException, InterruptedException {
        Workload input = Workload.read(Path.of(args[0]), Path.of(args[1]), null);
        List<Contestant> contestants = new ArrayList<>();
        for (String policy : args[3].split(",")) {
            contestants.add(Contestant.parse(policy));
        }
        Experiment experiment = Experiment.of(
                input.nodes(), input.pods(), new ArrivalOrder.Shuffled(130), contestants, SeedList.parse("42-51"));
        List<Result> results = experiment.run(Runtime.getRuntime().availableProcessors(), () -> 0, System.err::println);
        Files.writeString(Path.of(args[2]), of(experiment.describe(), results));
    }

    private void frame(String title) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 540\" font-family=\"sans-serif\""
                        + " font-size=\"13\">%n<rect width=\"900\" height=\"540\" fill=\"white\"/>%n"
                        + "<text x=\"%d\" y=\"28\" font-size=\"11\">%s</text>%n",
                LEFT, escaped(title));
        for (int percent = least; percent <= 100; percent += 10) {
            add("<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>%n", LEFT, y(percent), WIDTH);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>%n", LEFT - 8, y(percent) + 4, percent);
        }
        for (int percent = least; percent <= most; percent += 10) {
            add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n", x(percent), TOP + HEIGHT + 20, percent);
        }
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">arrived, %% of GPU capacity</text>%n",
                LEFT + WIDTH / 2, TOP + HEIGHT + 45);
        add(
                "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">allocated, %%</text>%n",
                TOP + HEIGHT / 2);
    }

    private void line(Result result, int index) {
        String colour = COLOURS.get(index % COLOURS.size());
        StringBuilder points = new StringBuilder();
        for (int percent = least; percent <= most; percent++) {
            int at = percent;
            points.append(String.format(
                    Locale.ROOT, "%.1f,%.1f ", x(percent), y(Math.max(least, result.mean(curve -> curve.at(at))))));
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>%n",
                points.toString().strip(), colour);
        int y = TOP + 14 + 22 * index;
        add("<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"3\"/>%n", LEFT + WIDTH + 14, y - 4, colour);
        add("<text x=\"%d\" y=\"%d\">%s %.2f</text>%n", LEFT + WIDTH + 42, y, escaped(result.policy()), result.end());
    }

    private double x(double percent) {
        return LEFT + WIDTH * (percent - least) / Math.max(1, most - least);
    }

    private double y(double percent) {
        return TOP + HEIGHT * (100 - percent) / (100 - least);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that nothing else needs
    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
