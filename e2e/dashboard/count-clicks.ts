import type { Visit } from './person.ts';

/** Counts what a person presses in a visit, by mouse or keyboard. */
export async function countClicks({ page }: Visit): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('tellClick', () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    addEventListener(
      'click',
      (event) => event.isTrusted && void Reflect.apply(Reflect.get(window, 'tellClick'), window, []),
      true,
    );
  });
  return () => clicks;
}
