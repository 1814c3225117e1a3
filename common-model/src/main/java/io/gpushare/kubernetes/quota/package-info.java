/** ResourceQuotas as the extender shows them: what a namespace may request, and what it requests. */
@NullMarked
package io.gpushare.kubernetes.quota;

import org.jspecify.annotations.NullMarked;
