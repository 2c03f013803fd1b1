export const style = `
:root {
  color-scheme: light dark;
  --line: #8884; --dim: #777; --accent: #1a66c2; --get: #1a7f37; --delete: #c0392b;
}
@media (prefers-color-scheme: dark) {
  :root { --dim: #999; --accent: #6aa9f4; --get: #4cc26b; --delete: #f07167; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid;
  grid-template-columns: 17rem minmax(0, 60rem); gap: 2rem; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem;
  border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav h2 { font-size: .875rem; margin: 0; }
main { padding: 1rem 1rem 6rem 0; }
h1 { margin-top: 0; }
h2 { margin: 3rem 0 .5rem; }
h4 { margin: 1.25rem 0 .25rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
section { border-top: 1px solid var(--line); padding: .5rem 0 1rem; }
code, pre { font: .875em/1.45 ui-monospace, monospace; }
pre { padding: .75rem; overflow: auto; background: #8881; border-radius: .25rem; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: normal; white-space: nowrap; width: 1%; padding-right: 1rem; }
td p { margin: 0 0 .25rem; }
em, small, .type, .key, .headers { color: var(--dim); font-style: normal; }
em, small, .headers { font-size: .8125rem; }
.address b { display: inline-block; min-width: 3.5rem; }
.get { color: var(--get); } .post { color: var(--accent); } .delete { color: var(--delete); }
@media (max-width: 60rem) {
  body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; } th { white-space: normal; width: auto; }
}
`;
