/** Maps that cannot grow without limit. */

/** Makes an entry the newest of a map, and drops the oldest entry when there are more than `max`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && oldest.done !== true) map.delete(oldest.value);
}

/**
 * Returns a function that remembers its last `max` answers; those asked for longest ago are dropped first. A failure is
 * not remembered.
 */
export function remember<Key, Value>(make: (key: Key) => Value, { max }: { max: number }): (key: Key) => Value {
  const answers = new Map<Key, { value: Value }>();
  return (key) => {
    const answer = answers.get(key) ?? { value: make(key) };
    setBounded(answers, key, answer, max);
    return answer.value;
  };
}
