/** At most `size` elements: the first, the last, and others at even distances between them, in their order. */
export function sampleOf<Element>(elements: readonly Element[], size: number): readonly Element[] {
  if (elements.length <= size) return elements;
  const step = (elements.length - 1) / (size - 1);
  return Array.from({ length: size }, (_, at) => elements[Math.round(at * step)]!);
}
