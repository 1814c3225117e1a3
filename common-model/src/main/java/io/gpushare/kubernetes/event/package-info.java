/** Events of both programs, in a queue beside what they work on. It knows neither program. */
@NullMarked
package io.gpushare.kubernetes.event;

import org.jspecify.annotations.NullMarked;
