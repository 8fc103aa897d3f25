(() => {
  "use strict";
  const list = document.querySelector(".tabs");
  if (list === null) return;
  const tabs = [...list.children];
  const panels = tabs.map((tab) => document.getElementById(tab.hash.slice(1)));
  const vertical = () => getComputedStyle(list).flexDirection === "column";
  const choose = (k) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === k));
      tab.tabIndex = i === k ? 0 : -1;
      panels[i].hidden = i !== k;
    });
  };
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Forms");
  list.setAttribute("aria-orientation", vertical() ? "vertical" : "horizontal");
  tabs.forEach((tab, k) => {
    tab.id = `tab-${k + 1}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panels[k].id);
    panels[k].setAttribute("role", "tabpanel");
    panels[k].setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      choose(k);
    });
    tab.addEventListener("keydown", (event) => {
      const to = {
        ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1,
        Home: 0, End: tabs.length - 1, " ": k,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = (to + tabs.length) % tabs.length;
      choose(next);
      tabs[next].focus();
    });
  });
  const asked = tabs.findIndex((tab) => tab.hash === location.hash);
  choose(Math.max(asked, 0));
  document.body.classList.add("live");
})();
