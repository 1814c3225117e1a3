package io.gpushare.e2e.shape;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** Finds packages that depend on each other in a cycle. */
final class PackageShape {
    private PackageShape() {}

    /**
     * The cycles between packages under {@code io.gpushare} in these folders of classes, each with its dependencies.
     */
    static List<String> cycles(Collection<Path> classFolders) {
        JavaClasses classes = new ClassFileImporter().importPaths(classFolders);
        return SlicesRuleDefinition.slices()
                .matching("io.gpushare.(**)")
                .should()
                .beFreeOfCycles()
                .evaluate(classes)
                .getFailureReport()
                .getDetails();
    }
}
