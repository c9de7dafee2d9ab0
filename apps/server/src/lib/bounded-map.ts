/** Makes an entry the newest, and drops the oldest above `max`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && oldest.done !== true) map.delete(oldest.value);
}

/** Remembers the last `max` answers, dropping the least recently used. Failures are not remembered. */
export function remember<Key, Value>(make: (key: Key) => Value, { max }: { max: number }): (key: Key) => Value {
  const answers = new Map<Key, { value: Value }>();
  return (key) => {
    const answer = answers.get(key) ?? { value: make(key) };
    setBounded(answers, key, answer, max);
    return answer.value;
  };
}
