/** Tests of what maintainers publish: the commands of a release and the workflows. They build and push nothing. */
@NullMarked
package io.gpushare.e2e.release;

import org.jspecify.annotations.NullMarked;
