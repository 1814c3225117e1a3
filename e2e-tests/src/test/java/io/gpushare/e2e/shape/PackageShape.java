package io.gpushare.e2e.shape;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds packages that depend on each other in a cycle, and classes that have threads and times of their own. */
final class PackageShape {
    private static final String[] PROGRAMS = {
        "io.gpushare.claims..",
        "io.gpushare.extender..",
        "io.gpushare.insight..",
        "io.gpushare.kubernetes..",
        "io.gpushare.plugin.."
    };

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

    /**
     * What these classes of both programs have from the JDK that {@code io.gpushare.time.Machine} gives: a simulation
     * would not know of it.
     */
    static List<String> ownTimes(Collection<Path> classFolders) {
        return ArchRuleDefinition.noClasses()
                .that()
                .resideInAnyPackage(PROGRAMS)
                .should()
                .accessTargetWhere(of(System.class, "nanoTime"))
                .orShould()
                .accessTargetWhere(of(Instant.class, "now"))
                .orShould()
                .accessTargetWhere(of(Thread.class, "sleep"))
                .orShould()
                .accessTargetWhere(of(Thread.class, "ofPlatform"))
                .orShould()
                .accessTargetWhere(of(Thread.class, "ofVirtual"))
                .orShould()
                .accessTargetWhere(of(TimeUnit.class, "sleep"))
                .allowEmptyShould(true)
                .evaluate(new ClassFileImporter().importPaths(classFolders))
                .getFailureReport()
                .getDetails();
    }

    private static DescribedPredicate<JavaAccess<?>> of(Class<?> owner, String name) {
        return JavaAccess.Predicates.target(
                        HasOwner.Predicates.With.<JavaClass>owner(HasName.Predicates.name(owner.getName())))
                .and(JavaAccess.Predicates.target(HasName.Predicates.name(name)));
    }
}
