/**
 * Answers many small requests (asks) with few large runs. While `maxRunning` runs are in progress, new asks gather and
 * run together: immediate when idle, shared round trips when busy.
 */
type BatchOptions<Ask, Answer> = {
  run(asks: readonly Ask[]): Promise<readonly Answer[]>;
  maxAsks: number;
  maxRunning: number;
};

type Waiting<Ask, Answer> = { ask: Ask; resolve(answer: Answer): void; reject(cause: unknown): void };

export function createBatcher<Ask, Answer>(options: BatchOptions<Ask, Answer>): (ask: Ask) => Promise<Answer> {
  let waiting: Waiting<Ask, Answer>[] = [];
  let running = 0;

  async function runOnce(batch: Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await options.run(batch.map((one) => one.ask));
      if (answers.length !== batch.length) throw new Error(`${answers.length} answers to ${batch.length} asks`);
      for (const [position, one] of batch.entries()) one.resolve(answers[position] as Answer);
    } catch (cause) {
      for (const one of batch) one.reject(cause);
    }
    running -= 1;
    leave();
  }

  function leave(): void {
    while (waiting.length > 0 && running < options.maxRunning) {
      const batch = waiting.slice(0, options.maxAsks);
      waiting = waiting.slice(batch.length);
      running += 1;
      void runOnce(batch);
    }
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      // Asks made in one turn of the event loop run together.
      if (waiting.length === 1) setImmediate(leave);
    });
}
