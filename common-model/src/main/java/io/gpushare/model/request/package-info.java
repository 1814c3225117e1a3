/**
 * What pods write, as demands. Only this package, and the codecs of other schedulers' pods beside it, know the names of
 * resources and the annotations of requests. Each vocabulary is a front end; a new one is a class here and a line in
 * {@code FrontEnds}. Users may write any of this input by hand, so what is malformed has a sentence.
 */
@NullMarked
package io.gpushare.model.request;

import org.jspecify.annotations.NullMarked;
