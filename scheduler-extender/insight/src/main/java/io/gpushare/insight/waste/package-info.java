/**
 * What is wasted: memory that pods hold and don't use, and free memory that is of no use. The one place where the page,
 * the command line and the metrics get these figures; how its values are named in JSON is written at them.
 */
@NullMarked
package io.gpushare.insight.waste;

import org.jspecify.annotations.NullMarked;
