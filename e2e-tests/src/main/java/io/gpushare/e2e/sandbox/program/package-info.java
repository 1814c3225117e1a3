/**
 * The project's programs as processes, from the build or from recorded images. The package knows no cluster.
 */
@NullMarked
package io.gpushare.e2e.sandbox.program;

import org.jspecify.annotations.NullMarked;
